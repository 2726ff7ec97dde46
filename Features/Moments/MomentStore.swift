import Blobs
import Core
import Database
import Live
import Media
import Search

/// All SQL of the room.
struct MomentStore: Sendable {
    let database: any Database
    let library: MediaLibrary
    let search: SearchIndex
    let events: EventLog

    /// Makes the moment and its files, all or none.
    /// - Parameter answering: makes the answer, within the write, so that it can be kept with the rows.
    /// - Returns: the answer, and which staged bytes turned out to be there already.
    /// - Throws: `.tooLarge` when the owner's quota does not hold the files.
    func add<Answer: Sendable>(
        _ moment: Moment, files: [MediaLibrary.File], answering: @escaping @Sendable (WriteTransaction) throws -> Answer
    ) async throws -> (Answer, surplus: [BlobKey]) {
        try await database.write { tx in
            let surplus = try library.add(files, owner: moment.owner, tx)
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
            change.apply(to: &moment)
            try tx.run(
                """
                UPDATE moment SET created_at = \(moment.createdAt), happened_at = \(moment.happenedAt), category = \(moment.category),
                    group_id = \(moment.groupID), tags = \(TextList.encode(moment.tags)), mood = \(moment.mood), title = \(moment.title),
                    note = \(moment.note), reason = \(moment.reason), interests = \(TextList.encode(moment.interests)),
                    intensity = \(moment.intensity), location = \(moment.location)
                WHERE id = \(id) AND owner = \(owner)
                """)
            try tx.run("DELETE FROM moment_tag WHERE moment = \(id)")
            try insertTags(moment, tx)
            try tx.run("UPDATE moment_file SET created_at = \(moment.createdAt) WHERE moment = \(id)")
            try search.put(moment.document, tx)
            try events.emit(kind.changed, MomentEvent(moment), to: owner, tx)
            return moment
        }
    }

    /// Takes the moment and its files away together.
    /// - Returns: whether there was such a moment of this owner.
    func delete(_ id: String, _ kind: Moment.Kind, owner: String) async throws -> Bool {
        try await database.write { tx in
            try tx.lock("moment " + id)
            guard let moment = try moment(id, kind, owner: owner, tx) else { return false }
            try library.erase(moment.pictures + [moment.voice].compactMap { $0 }, owner: owner, tx)
            try search.remove(kind: kind.rawValue, id: id, owner: owner, tx)
            try tx.run("DELETE FROM moment WHERE id = \(id) AND owner = \(owner)")
            try events.emit(kind.deleted, MomentEvent(moment), to: owner, tx)
            return true
        }
    }

    // MARK: Inside a transaction

    private func moment(_ id: String, _ kind: Moment.Kind, owner: String, _ tx: ReadTransaction) throws -> Moment? {
        let row = try tx.row(
            "SELECT \(sql: Moment.columns) FROM moment WHERE id = \(id) AND owner = \(owner) AND kind = \(kind.rawValue)")
        return try withFiles(row.map { [try Moment($0)] } ?? [], tx).first
    }

    private func insert(_ moment: Moment, _ tx: WriteTransaction) throws {
        try tx.run(
            """
            INSERT INTO moment (id, owner, kind, created_at, happened_at, category, group_id, tags, mood, title, note, reason, interests,
                intensity, location, voice_ms)
            VALUES (\(moment.id), \(moment.owner), \(moment.kind.rawValue), \(moment.createdAt), \(moment.happenedAt), \(moment.category),
                \(moment.groupID), \(TextList.encode(moment.tags)), \(moment.mood), \(moment.title), \(moment.note), \(moment.reason),
                \(TextList.encode(moment.interests)), \(moment.intensity), \(moment.location), \(moment.voiceMilliseconds))
            """)
        try insertTags(moment, tx)
        let files = moment.pictures.map { ("picture", $0) } + [moment.voice].compactMap { $0 }.map { ("voice", $0) }
        for (position, (role, media)) in files.enumerated() {
            try tx.run(
                """
                INSERT INTO moment_file (moment, position, role, media, owner, kind, created_at)
                VALUES (\(moment.id), \(position), \(role), \(media), \(moment.owner), \(moment.kind.rawValue), \(moment.createdAt))
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

    /// What the moments' rows leave out.
    /// - Parameter isUnbroken: they are one kind's, and none of the owner's lies between the first and the last that is not among them.
    func withFiles(_ moments: [Moment], isUnbroken: Bool = false, _ tx: ReadTransaction) throws -> [Moment] {
        guard let first = moments.first, let last = moments.last else { return [] }
        var files: [String: (pictures: [String], voice: String?)] = [:]
        for row in try tx.rows(isUnbroken ? Self.files(from: first, downTo: last) : Self.files(of: moments.map(\.id))) {
            let moment: String = try row.get("moment")
            let media: String = try row.get("media")
            if try row.get("role", as: String.self) == "voice" {
                files[moment, default: ([], nil)].voice = media
            } else {
                files[moment, default: ([], nil)].pictures.append(media)
            }
        }
        return moments.map { moment in
            guard let own = files[moment.id] else { return moment }
            var moment = moment
            moment.pictures = own.pictures
            moment.voice = own.voice
            return moment
        }
    }

    static func files(from newest: Moment, downTo oldest: Moment) -> SQL {
        """
        SELECT moment, role, media FROM moment_file WHERE owner = \(newest.owner) AND kind = \(newest.kind.rawValue)
            AND (created_at, moment) <= (\(newest.createdAt), \(newest.id)) AND (created_at, moment) >= (\(oldest.createdAt), \(oldest.id))
        ORDER BY created_at, moment, position
        """
    }

    static func files(of moments: [String]) -> SQL {
        "SELECT moment, role, media FROM moment_file WHERE moment IN (\(sql: .list(moments))) ORDER BY moment, position"
    }
}
