import Blobs
import Core
import Database

/// A variant belongs to the bytes of its original, not to one account's row, and is deleted with the last file that has those bytes. The
/// lock prevents adding a variant to an original that a concurrent transaction deletes.
extension MediaStore {
    func variant(of original: BlobKey, _ spec: String) async throws -> MediaVariant? {
        try await database.read { tx in try variant(of: original, spec, tx) }
    }

    /// - Throws: `Problem.noSuchFile` when the original was deleted meanwhile.
    func addVariant(
        _ staged: StagedBlob, of asset: Asset, spec: String, type: String, createdAt: Timestamp
    ) async throws -> (MediaVariant, surplus: [BlobKey]) {
        try await database.write { tx in try addVariant(staged, of: asset, spec: spec, type: type, createdAt: createdAt, tx) }
    }

    /// - Throws: `Problem.noSuchFile` when the original was deleted meanwhile.
    func addVariant(
        _ staged: StagedBlob, of asset: Asset, spec: String, type: String, createdAt: Timestamp, _ tx: WriteTransaction
    ) throws -> (MediaVariant, surplus: [BlobKey]) {
        try lockVariants(of: asset.blob, tx)
        guard let original = try ledger.row(asset.blob, tx), original.state == .live else { throw Problem.noSuchFile }
        // If no file has the bytes any more, they may still be live as a copy of another picture.
        guard try tx.row(Self.anyOwner(of: asset.blob)) != nil else { throw Problem.noSuchFile }
        if let kept = try variant(of: asset.blob, spec, tx) { return (kept, [staged.key]) }
        if spec != FilmCopy.name { try makeRoom(for: asset.blob, tx) }
        // The copy is erased together with the original. The original may belong to another account than the file: the file was handed on
        // meanwhile, or its owner shares the bytes with another account.
        let adoption = try ledger.adopt(staged, owner: original.owner, tx)
        let variant = MediaVariant(
            blob: adoption.key, type: type, sha256: staged.sha256, byteCount: staged.byteCount, createdAt: createdAt)
        try tx.run(MediaVariant.table.insert(variant, with: ["parent": asset.blob, "spec": spec]))
        return (variant, adoption.isSurplus ? [staged.key] : [])
    }

    /// Drops the reference of a file to its bytes. Call it after the file's row is deleted or names other bytes. If no other file has these
    /// bytes, their copies are deleted. The bytes themselves may stay: if somebody has downloaded a smaller copy and uploaded it again, the
    /// account has these bytes as a file and as that copy.
    func releaseFile(_ blob: BlobKey, _ tx: WriteTransaction) throws {
        let count = try ledger.release(blob, tx)
        guard try count == 0 || tx.row(Self.anyOwner(of: blob)) == nil else { return }
        try dropVariants(of: blob, tx)
    }

    /// Deletes the variants of an original. It must be called in the transaction that removes the last file with the original's bytes.
    func dropVariants(of original: BlobKey, _ tx: WriteTransaction) throws {
        try lockVariants(of: original, tx)
        for row in try tx.rows("DELETE FROM media_variant WHERE parent = \(original) RETURNING blob") {
            try ledger.release(row.get("blob"), tx)
        }
    }

    func variant(of original: BlobKey, _ spec: String, _ tx: ReadTransaction) throws -> MediaVariant? {
        try tx.first("\(sql: MediaVariant.table.select) WHERE parent = \(original) AND spec = \(spec)", MediaVariant.init)
    }

    /// Deletes the oldest variants if one more would exceed `VariantSpec.maxCount`. A film's copy for browsers stays: making it again takes
    /// minutes.
    private func makeRoom(for original: BlobKey, _ tx: WriteTransaction) throws {
        let kept = try tx.rows(
            """
            SELECT spec, blob FROM media_variant WHERE parent = \(original) AND spec <> \(FilmCopy.name) ORDER BY created_at, spec
            """)
        for row in kept.prefix(max(0, kept.count + 1 - VariantSpec.maxCount)) {
            try tx.run("DELETE FROM media_variant WHERE parent = \(original) AND spec = \(row.get("spec", as: String.self))")
            try ledger.release(row.get("blob"), tx)
        }
    }

    func lockVariants(of original: BlobKey, _ tx: WriteTransaction) throws { try tx.lock("variants of \(original.text)") }
}
