import Blobs
import Core
import Database
import Live
import Media
import Search
import Web

/// All SQL of the room.
struct MomentStore: Sendable {
    let database: any Database
    let library: MediaLibrary
    let search: SearchIndex
    let events: EventLog

    /// Makes the moment and its files, all or none.
    /// - Parameter answering: makes the answer, within the write, so that it can be kept with the rows.
    /// - Returns: the answer, and which staged bytes turned out to be there already.
    /// - Throws: `.tooLarge` when the owner's quota does not hold the moment with its files.
    func add<Answer: Sendable>(
        _ moment: Moment, files: [MediaLibrary.File], answering: @escaping @Sendable (WriteTransaction) throws -> Answer
    ) async throws -> (Answer, surplus: [BlobKey]) {
        try await database.write { tx in
            let surplus = try library.add(files, rowBytes: moment.rowBytes, owner: moment.owner, tx)
            try insert(moment, tx)
            try search.put(moment.document, tx)
            try events.emit(moment.kind.added, MomentEvent(moment), to: moment.owner, tx)
            return (try answering(tx), surplus)
        }
    }

    /// - Returns: `nil` when there is no such moment, it is of another kind, or it is somebody else's.
    func moment(_ id: String, _ kind: Moment.Kind, owner: String) async throws -> Moment? {
        try await database.read { tx in try moment(id, kind, owner: owner, tx) }
    }

    /// - Returns: as `moment`, changed.
    func update(_ id: String, _ kind: Moment.Kind, owner: String, _ change: MomentChange) async throws -> Moment? {
        try await database.write { tx in
            try tx.lock("moment " + id)
            guard var moment = try moment(id, kind, owner: owner, tx) else { return nil }
            let counted: Int64? = try tx.row("SELECT row_bytes FROM moment WHERE id = \(id) AND owner = \(owner)")?.get("row_bytes")
            let old = moment.rowBytes
            change.apply(to: &moment)
            try tx.run(
                """
                UPDATE moment SET created_at = \(moment.createdAt), happened_at = \(moment.happenedAt), category = \(moment.category),
                    group_id = \(moment.groupID), tags = \(TextList.encode(moment.tags)), mood = \(moment.mood), title = \(moment.title),
                    note = \(moment.note), reason = \(moment.reason), interests = \(TextList.encode(moment.interests)),
                    intensity = \(moment.intensity), location = \(moment.location), row_bytes = \(moment.rowBytes)
                WHERE id = \(id) AND owner = \(owner)
                """)
            try library.change(rowFrom: counted, old, to: moment.rowBytes, owner: owner, tx)
            try tx.run("DELETE FROM moment_tag WHERE moment = \(id)")
            try insertTags(moment, tx)
            try search.put(moment.document, tx)
            try events.emit(kind.changed, MomentEvent(moment), to: owner, tx)
            return moment
        }
    }

    /// Takes the moment, its files and the stored answer of its creation away together.
    /// - Returns: whether there was such a moment of this owner.
    func delete(_ id: String, _ kind: Moment.Kind, owner: String) async throws -> Bool {
        try await database.write { tx in
            try tx.lock("moment " + id)
            guard let moment = try moment(id, kind, owner: owner, tx) else { return false }
            let answerBytes = try IdempotencyStore.forget(moment.resource, of: owner, tx)
            // Before its files, which would each be taken out of it.
            let deleted = try tx.row("DELETE FROM moment WHERE id = \(id) AND owner = \(owner) RETURNING row_bytes")
            try library.erase(moment.pictures + [moment.voice].compactMap { $0 }, owner: owner, tx)
            try library.note(rowBytes: -(deleted?.get("row_bytes") ?? 0) - answerBytes, owner: owner, tx)
            try search.remove(kind: kind.rawValue, id: id, owner: owner, tx)
            try events.emit(kind.deleted, MomentEvent(moment), to: owner, tx)
            return true
        }
    }

    // MARK: Inside a transaction

    private func moment(_ id: String, _ kind: Moment.Kind, owner: String, _ tx: ReadTransaction) throws -> Moment? {
        try tx.first("\(sql: Moment.table.select) WHERE id = \(id) AND owner = \(owner) AND kind = \(kind.rawValue)") {
            try Moment(&$0, of: owner)
        }
    }

    private func insert(_ moment: Moment, _ tx: WriteTransaction) throws {
        try tx.run(Moment.table.insert(moment, with: ["row_bytes": moment.rowBytes]))
        try insertTags(moment, tx)
        let files = moment.pictures.map { ("picture", $0) } + [moment.voice].compactMap { $0 }.map { ("voice", $0) }
        for (position, (role, media)) in files.enumerated() {
            try tx.run(
                """
                INSERT INTO moment_file (moment, position, role, media, owner)
                VALUES (\(moment.id), \(position), \(role), \(media), \(moment.owner))
                """)
        }
    }

    private func insertTags(_ moment: Moment, _ tx: WriteTransaction) throws {
        for tag in moment.tags {
            try tx.run(
                """
                INSERT INTO moment_tag (moment, owner, kind, tag, created_at, happened_at)
                VALUES (\(moment.id), \(moment.owner), \(moment.kind.rawValue), \(tag), \(moment.createdAt), \(moment.happenedAt))
                """)
        }
    }
}
