import Blobs
import Core
import Database
import Live
import Media
import Search
import Web

/// All SQL of the table `moment` and its parts.
struct MomentStore: Sendable {
    let database: any Database
    let library: MediaLibrary
    let search: SearchIndex
    let events: EventLog

    /// Stores the moment and its files. If one part fails, nothing is stored.
    /// - Parameters:
    ///   - words: the words of the moment's texts, split before the write.
    ///   - answering: makes the response inside the transaction, so that the response is stored together with the rows.
    /// - Returns: the response, and the staged blobs that duplicate stored bytes.
    /// - Throws: `.tooLarge` when the moment with its files exceeds the owner's quota.
    func add<Answer: Sendable>(
        _ moment: Moment, _ words: SearchWords, files: [MediaLibrary.File],
        answering: @escaping @Sendable (WriteTransaction) throws -> Answer
    ) async throws -> (Answer, surplus: [BlobKey]) {
        if files.isEmpty, let answer = try await addUnlessUncounted(moment, words, answering) { return (answer, []) }
        return try await database.write { tx in
            let surplus = try library.add(files, rowBytes: moment.rowBytes, owner: moment.owner, tx)
            return (try store(moment, words, answering, tx), surplus)
        }
    }

    /// Stores a moment without files. The statement that inserts it also counts its bytes.
    /// - Returns: `nil` when the owner has stored nothing before, or the quota is exceeded; then nothing was written. The caller retries
    ///   with `MediaLibrary.add`, which distinguishes the two cases.
    private func addUnlessUncounted<Answer: Sendable>(
        _ moment: Moment, _ words: SearchWords, _ answering: @escaping @Sendable (WriteTransaction) throws -> Answer
    ) async throws -> Answer? {
        do {
            return try await database.write { tx in
                try library.send(rowBytes: moment.rowBytes, owner: moment.owner, otherwise: Uncounted(), tx)
                return try store(moment, words, answering, tx)
            }
        } catch is Uncounted {
            return nil
        }
    }

    private struct Uncounted: Error {}

    private func store<Answer>(
        _ moment: Moment, _ words: SearchWords, _ answering: (WriteTransaction) throws -> Answer, _ tx: WriteTransaction
    ) throws -> Answer {
        try insert(moment, tx)
        try search.put(moment.document, words, tx)
        try events.emit(moment.kind.added, MomentEvent(moment), to: moment.owner, tx)
        return try answering(tx)
    }

    /// The name of the lock for writes that read a moment and then change it.
    static func lock(_ id: String) -> String { "moment " + id }

    /// - Returns: `nil` when the moment does not exist, is of another kind, or belongs to another account.
    func moment(_ id: String, _ kind: Moment.Kind, owner: String) async throws -> Moment? {
        try await database.first(Self.one(id, kind, owner: owner)) { try Moment(&$0, of: owner) }
    }

    /// - Parameter split: see `SearchIndex.splitting`.
    /// - Returns: the changed moment; `nil` in the same cases as `moment`.
    func update(
        _ id: String, _ kind: Moment.Kind, owner: String, _ change: MomentChange, split: SplitTexts?
    ) async throws -> Moment? {
        try await database.write { tx in
            try tx.lock(Self.lock(id))
            guard var moment = try moment(id, kind, owner: owner, tx) else { return nil }
            let counted: Int64? = try tx.row("SELECT row_bytes FROM moment WHERE id = \(id) AND owner = \(owner)")?.get("row_bytes")
            let before = moment
            let old = moment.rowBytes
            change.apply(to: &moment)
            // Without this check, other devices would fetch a moment that has not changed.
            if moment == before { return moment }
            try tx.send(
                """
                UPDATE moment SET created_at = \(moment.createdAt), happened_at = \(moment.happenedAt), category = \(moment.category),
                    group_id = \(moment.groupID), tags = \(TextList.encode(moment.tags)), mood = \(moment.mood), title = \(moment.title),
                    note = \(moment.note), reason = \(moment.reason), interests = \(TextList.encode(moment.interests)),
                    intensity = \(moment.intensity), location = \(moment.location), row_bytes = \(moment.rowBytes)
                WHERE id = \(id) AND owner = \(owner)
                """)
            try library.change(rowFrom: counted, old, to: moment.rowBytes, owner: owner, tx)
            try tx.send("DELETE FROM moment_tag WHERE moment = \(id)")
            try insertTags(moment, tx)
            try search.put(moment.document, split: split, tx)
            try events.emit(kind.changed, MomentEvent(moment), to: owner, tx)
            return moment
        }
    }

    /// Deletes the moment, its files and the stored response of its creation.
    /// - Returns: whether the owner had such a moment.
    func delete(_ id: String, _ kind: Moment.Kind, owner: String) async throws -> Bool {
        let found = try await database.read { tx in try moment(id, kind, owner: owner, tx) }
        guard let found else { return false }
        try await library.prepareErasing(found.media, owner: owner)
        return try await database.write { tx in
            try tx.lock(Self.lock(id))
            guard let moment = try moment(id, kind, owner: owner, tx) else { return false }
            let answerBytes = try IdempotencyStore.forget(moment.resource, of: owner, tx)
            // The row is deleted before its files, because otherwise each file's deletion would first update the row.
            let deleted = try tx.row("DELETE FROM moment WHERE id = \(id) AND owner = \(owner) RETURNING row_bytes")
            try library.erase(moment.media, owner: owner, tx)
            try library.note(rowBytes: -(deleted?.get("row_bytes") ?? 0) - answerBytes, owner: owner, tx)
            try search.remove(kind: kind.rawValue, id: id, owner: owner, tx)
            try events.emit(kind.deleted, MomentEvent(moment), to: owner, tx)
            return true
        }
    }

    // MARK: Inside a transaction

    private func moment(_ id: String, _ kind: Moment.Kind, owner: String, _ tx: ReadTransaction) throws -> Moment? {
        try tx.first(Self.one(id, kind, owner: owner)) { try Moment(&$0, of: owner) }
    }

    private static func one(_ id: String, _ kind: Moment.Kind, owner: String) -> SQL {
        "\(sql: Moment.table.select) WHERE id = \(id) AND owner = \(owner) AND kind = \(kind.rawValue)"
    }

    private func insert(_ moment: Moment, _ tx: WriteTransaction) throws {
        try tx.send(Moment.table.insert(moment, with: ["row_bytes": moment.rowBytes]))
        try insertTags(moment, tx)
        let files = moment.pictures.map { ("picture", $0) } + [moment.voice].compactMap { $0 }.map { ("voice", $0) }
        for (position, (role, media)) in files.enumerated() {
            try tx.send(
                """
                INSERT INTO moment_file (moment, position, role, media, owner)
                VALUES (\(moment.id), \(position), \(role), \(media), \(moment.owner))
                """)
        }
    }

    private func insertTags(_ moment: Moment, _ tx: WriteTransaction) throws {
        // Each statement inserts several rows. Only four different statements are used, so that an engine can keep them prepared.
        var rest = moment.tags[...]
        for size in [8, 4, 2, 1] {
            while rest.count >= size {
                try tx.send(Self.insertion(of: rest.prefix(size), moment))
                rest = rest.dropFirst(size)
            }
        }
    }

    private static func insertion(of tags: ArraySlice<String>, _ moment: Moment) -> SQL {
        let rows = tags.map { tag -> SQL in
            """
            (\(moment.id), \(moment.owner), \(moment.kind.rawValue), \(tag), \(moment.category), \(moment.groupID), \(moment.createdAt),
                \(moment.happenedAt))
            """
        }
        return """
            INSERT INTO moment_tag (moment, owner, kind, tag, category, group_id, created_at, happened_at)
            VALUES \(sql: .series(rows))
            """
    }
}
