import Blobs
import Core
import Database
import FeatureKit
import Web

/// Erases the files of an account that is being deleted. Emits no events and leaves the search index and the referring rows alone: no
/// client is left to receive events, and the other features erase their own rows.
extension MediaStore {
    /// Deletes rows of `media`. A file of a chat is deleted with its row of `media`, which also counts the bytes of the file's text.
    /// - Returns: the number of assets that it erased: no more than `limit`, and no more than `DeletionStep` allows.
    func eraseSome(of owner: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        let assets: [(id: String, blob: BlobKey)] = try tx.deletionStep(
            limit: limit, { Self.first(of: owner, limit: $0) }
        ) { row in (try row.next("id"), try row.next("blob", nil)) }
        for (id, blob) in assets {
            guard try tx.run("DELETE FROM media WHERE id = \(id) AND owner = \(owner)") == 1 else { continue }
            try releaseFile(blob, tx)
        }
        return assets.count
    }

    /// If a file of another account still refers to a blob of this account, gives the blob to that other account. This happens when two
    /// members each got a cove with the same cover: they share the cover's bytes, which belong to one of them. Called in the last write of
    /// an erasure, after the account's files are deleted.
    func endErasing(of owner: String, _ tx: WriteTransaction) throws {
        for key in try ledger.live(of: owner, tx) {
            guard try ledger.lock(key, of: owner, tx) else { continue }
            // This also drops variants that a request has added since the account's files were deleted: the row of a copy would keep the
            // row of its blob from being deleted.
            try dropVariants(of: key, tx)
            // If the blob is also a copy of another picture, that copy is made again when somebody asks for it.
            try tx.run(Self.removeCopies(storedAs: key))
            guard let heir = try tx.row(Self.anyOwner(of: key))?.get("owner", as: String.self),
                let count = try tx.row(Self.fileCount(of: key))?.get("files", as: Int.self)
            else { continue }
            try ledger.hand(key, to: heir, references: count, tx)
        }
    }

    func originals(of owner: String, after last: OriginalFile?, limit: Int, _ tx: ReadTransaction) throws -> [OriginalFile] {
        try tx.rows(Self.originals(of: owner, after: last, limit: limit)).map { row in
            OriginalFile(
                id: try row.get("id"), name: try row.get("name"), blob: try row.get("blob"), byteCount: try row.get("byte_count"),
                createdAt: try row.get("created_at"))
        }
    }

    /// Finds a file that a signed link names. Like `asset`, but returns `nil` also when the owner's account is closed or suspended. A
    /// request with a signed link has no credential that the server could refuse instead.
    func served(_ id: String, owner: String) async throws -> Asset? {
        try await database.first(Self.served(id, owner: owner), Asset.init(_:))
    }

    /// Like `served`, but also returns the stored copy of that name, if there is one. It is one statement, so that a request for a copy
    /// costs no more than one for a file.
    func served(_ id: String, owner: String, copy name: String) async throws -> (Asset, MediaVariant?)? {
        try await database.first(Self.served(id, owner: owner, copy: name)) { row in (try Asset(&row), try Self.copy(&row)) }
    }

    /// Like `served`, but also returns whether the metadata may hold a position: `nil` if the server has not checked yet.
    func shared(_ id: String, owner: String, copy name: String) async throws -> (Asset, MediaVariant?, mayHavePosition: Bool?)? {
        try await database.read { tx in
            try tx.first(Self.served(id, owner: owner, ", media.has_position", copy: name)) { row in
                let asset = try Asset(&row)
                let number: Int64? = try row.next("has_position")
                return (asset, try Self.copy(&row), number.map { $0 == 1 })
            }
        }
    }

    /// Like `served`, but for a film: also returns its copy for browsers, and what is known about how browsers play it.
    func film(_ id: String, owner: String) async throws -> (Asset, MediaVariant?, Playback?)? {
        try await database.read { tx in
            try tx.first(Self.served(id, owner: owner, ", media.playback", copy: FilmCopy.name)) { row in
                let asset = try Asset(&row)
                let playback: String? = try row.next("playback")
                return (asset, try Self.copy(&row), playback.flatMap(Playback.init))
            }
        }
    }

    private static func copy(_ row: inout RowReader) throws -> MediaVariant? {
        let parent: String? = try row.next("parent")
        return parent == nil ? nil : try MediaVariant(&row)
    }

    static func served(_ id: String, owner: String) -> SQL {
        "SELECT \(sql: Asset.table.columns) FROM media JOIN account ON account.id = media.owner\(sql: isServed(id, owner: owner))"
    }

    /// - Parameters:
    ///   - further: columns after those of `Asset` and before those of the copy.
    ///   - name: the copy's name. The first of the copy's columns, `parent`, is NULL when there is no such copy.
    static func served(_ id: String, owner: String, _ further: SQL = "", copy name: String) -> SQL {
        """
        SELECT \(sql: Asset.table.columns)\(sql: further), media_variant.parent, \(sql: MediaVariant.table.columns)
        FROM media JOIN account ON account.id = media.owner
            LEFT JOIN media_variant ON media_variant.parent = media.blob AND media_variant.spec = \(name)\(sql: isServed(id, owner: owner))
        """
    }

    private static func isServed(_ id: String, owner: String) -> SQL {
        """

        WHERE media.id = \(id) AND media.owner = \(owner) AND account.closed_at IS NULL AND account.suspended_at IS NULL
        """
    }

    func note(mayHavePosition: Bool, of asset: Asset) async throws {
        try await database.write { tx in
            try tx.run("UPDATE media SET has_position = \(mayHavePosition) WHERE id = \(asset.id) AND owner = \(asset.owner)")
        }
    }

    static func first(of owner: String, limit: Int) -> SQL {
        "SELECT id, blob, row_bytes FROM media WHERE owner = \(owner) ORDER BY created_at, id LIMIT \(limit)"
    }

    static func removeCopies(storedAs blob: BlobKey) -> SQL { "DELETE FROM media_variant WHERE blob = \(blob)" }

    static func anyOwner(of blob: BlobKey) -> SQL { "SELECT owner FROM media WHERE blob = \(blob) LIMIT 1" }

    static func fileCount(of blob: BlobKey) -> SQL { "SELECT COUNT(*) AS files FROM media WHERE blob = \(blob)" }

    static func originals(of owner: String, after last: OriginalFile?, limit: Int) -> SQL {
        "SELECT id, name, blob, byte_count, created_at FROM media WHERE owner = \(owner)"
            + oldest.page(after: last.map { TimeKey(at: $0.createdAt, id: $0.id).sql }, limit: limit)
    }

    private static let oldest = Keyset(.ascending, "created_at", "id")
}
