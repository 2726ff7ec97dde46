import Blobs
import Core
import Database
import Web

/// The selections of files to which links to archives refer. Contains all SQL of `media_archive`.
struct SelectedArchives: Sendable {
    struct Archive: Sendable, Equatable {
        var id: String
        /// The viewer whose session made the link. The link ends with that session.
        var maker: Viewer
        /// The ids of the files, each once, in the order of the archive.
        var files: [String]
        var expiresAt: Timestamp

        var owner: String { maker.accountID }
    }

    /// The data of a file that an archive needs.
    struct File: Sendable {
        let id: String
        /// The name that its owner gave it. Untrusted.
        let name: String
        let blob: BlobKey
        let byteCount: Int64
        /// When the file was taken or, if that is not known, when it was stored.
        let moment: Timestamp

        init(_ row: inout RowReader) throws {
            id = try row.next("id")
            name = try row.next("name")
            blob = try row.next("blob", nil)
            byteCount = try row.next("byte_count")
            moment = try row.next("moment")
        }
    }

    /// The most links of an account that work at the same time. One link more ends the oldest.
    static let limitPerAccount = 20

    let database: any Database
    let clock: WallClock

    /// Stores which files the archive will contain.
    /// - Returns: the size of all files in bytes.
    /// - Throws: `.notFound` unless all files exist and belong to the owner.
    func add(_ archive: Archive) async throws -> Int64 {
        try await database.write { tx in
            var byteCount: Int64 = 0
            var rest = archive.files[...]
            while !rest.isEmpty {
                let ids = Array(rest.prefix(Self.batch))
                rest = rest.dropFirst(ids.count)
                let files = try Self.read(ids, owner: archive.owner, tx)
                if let missing = ids.first(where: { files[$0] == nil }) {
                    throw Problem(.notFound, "There is no file \(missing).", field: "fileIds")
                }
                byteCount += files.values.reduce(0) { $0 + $1.byteCount }
            }
            try tx.run(Self.trim(archive.owner))
            try tx.run(
                """
                INSERT INTO media_archive (id, owner, files, expires_at, session, identity)
                VALUES (\(archive.id), \(archive.owner), \(TextList.encode(archive.files)), \(archive.expiresAt),
                    \(archive.maker.sessionID), \(archive.maker.identity?.id))
                """)
            return byteCount
        }
    }

    /// - Returns: `nil` when there is no such archive of the owner, its link has expired, or the owner's account is closed or suspended.
    func archive(_ id: String, owner: String, at now: Timestamp) async throws -> Archive? {
        let found = try await database.first(Self.one(id, owner: owner)) { row in
            let files = try row.nextTexts("files")
            let expiresAt: Timestamp = try row.next("expires_at")
            let session: String? = try row.next("session")
            let identity: String? = try row.next("identity")
            let maker = Viewer(
                accountID: owner, sessionID: session, isAdmin: false,
                identity: identity.map { Viewer.Identity(id: $0, signedInAt: nil) })
            return Archive(id: id, maker: maker, files: files, expiresAt: expiresAt)
        }
        return found.flatMap { now < $0.expiresAt ? $0 : nil }
    }

    /// The files that exist and belong to the owner, by id.
    func files(_ ids: [String], owner: String) async throws -> [String: File] {
        try await database.read { tx in try Self.read(ids, owner: owner, tx) }
    }

    /// Deletes expired selections.
    func sweep() async throws {
        try await database.sweep(limit: Self.sweepCount) { Self.expired(before: clock.now, limit: $0) }
    }

    private static let batch = 100
    /// The most selections that one write deletes. Each may list a thousand ids, which take 40 KB.
    private static let sweepCount = 20

    private static func read(_ ids: [String], owner: String, _ tx: ReadTransaction) throws -> [String: File] {
        let rows = try tx.list(files(ids, owner: owner), File.init)
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
    }

    /// Ends all links of an account, in the transaction in which its owner recovers it.
    static func endLinks(of owner: String, _ tx: WriteTransaction) throws { try tx.run(links(of: owner)) }

    // MARK: Statements

    static func links(of owner: String) -> SQL { "DELETE FROM media_archive WHERE owner = \(owner)" }

    /// Selects only files of the library's lists. A file without a category is in none of them.
    static func files(_ ids: [String], owner: String) -> SQL {
        """
        SELECT id, name, blob, byte_count, COALESCE(taken_at, created_at) AS moment FROM media
        WHERE id IN (\(sql: .list(ids))) AND \(sql: .owned(by: owner)) AND category <> ''
        """
    }

    static func one(_ id: String, owner: String) -> SQL {
        """
        SELECT media_archive.files, media_archive.expires_at, media_archive.session, media_archive.identity
        FROM media_archive JOIN account ON account.id = media_archive.owner
        WHERE media_archive.id = \(id) AND media_archive.owner = \(owner) AND account.closed_at IS NULL AND account.suspended_at IS NULL
        """
    }

    /// Deletes the owner's oldest links, so that there is room for one more. An id contains the time at which it was made.
    static func trim(_ owner: String) -> SQL {
        """
        DELETE FROM media_archive WHERE owner = \(owner) AND id <= (
            SELECT id FROM media_archive WHERE owner = \(owner) ORDER BY id DESC LIMIT 1 OFFSET \(limitPerAccount - 1))
        """
    }

    static func expired(before now: Timestamp, limit: Int) -> SQL {
        """
        DELETE FROM media_archive WHERE id IN (
            SELECT id FROM media_archive WHERE expires_at <= \(now) ORDER BY expires_at, id LIMIT \(limit))
        """
    }
}
