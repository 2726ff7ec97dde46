import Blobs
package import Database
import Live
import MediaFrames
import Search

/// Gives files to another account.
extension MediaLibrary {
    /// Moves a file that was uploaded without a credential to another account. The file then counts against the new owner's quota, and may
    /// exceed it. The labels that the file has are removed. The blob moves too; no other file shares the blob of such a file.
    /// - Returns: `false` when `from` has no such file.
    package func hand(_ id: String, from: String, to owner: String, _ tx: WriteTransaction) throws -> Bool {
        try store.hand(id, from: from, to: owner, asShown: false, tx)
    }

    /// Moves a picture to another account as `hand` does, but only with the bytes that other people saw: if the original may hold a
    /// position, the file gets the bytes of the stored copy without metadata. The file's name becomes a neutral one. Call this only for an
    /// account that is being closed, in the write that closes it or in one shortly before. Other files of that account may share the blob,
    /// and so may pictures that are moved to further accounts. The blob belongs to the last of the new owners; see
    /// `MediaStore.endErasing`.
    /// - Returns: `false` when `from` has no such file, or when the original may hold a position and no copy without metadata is stored.
    package func handShown(_ id: String, from: String, to owner: String, _ tx: WriteTransaction) throws -> Bool {
        try store.hand(id, from: from, to: owner, asShown: true, tx)
    }
}

extension MediaStore {
    /// - Parameter asShown: whether the new owner gets only the bytes that others saw.
    func hand(_ id: String, from: String, to owner: String, asShown: Bool, _ tx: WriteTransaction) throws -> Bool {
        try tx.lock(Self.lock(id))
        guard let old = try asset(id, owner: from, tx),
            let row = try tx.row("SELECT row_bytes, has_position FROM media WHERE id = \(id) AND owner = \(from)")
        else { return false }
        let counted: Int64? = try row.get("row_bytes")
        let position: Int64? = try row.get("has_position")
        let isCopy = asShown && position != 0
        var asset = old
        asset.owner = owner
        (asset.title, asset.description, asset.tags, asset.groupID) = (nil, nil, [], nil)
        if isCopy {
            guard let copy = try strippedCopy(of: old.blob, for: owner, tx) else { return false }
            asset.takeBytes(of: copy)
        } else {
            try ledger.hand(old.blob, to: owner, tx)
        }
        // The name that the old owner gave the file may say more than the picture that others saw.
        if asShown { asset.name = "photo.\(MediaType(rawValue: asset.type)?.fileExtension ?? "bin")" }
        // Smaller copies are blobs of the old owner; they are made again when somebody asks for them.
        try dropVariants(of: asset.blob, tx)
        try tx.run(
            """
            UPDATE media SET owner = \(owner), title = NULL, description = NULL, tags = '[]', group_id = NULL,
                row_bytes = \(asset.rowBytes), playback = CASE WHEN playback = 'original' THEN playback END,
                blob = \(asset.blob), name = \(asset.name), type = \(asset.type), sha256 = \(asset.sha256),
                byte_count = \(asset.byteCount), width = \(asset.width), height = \(asset.height), taken_at = \(asset.takenAt),
                has_position = \(isCopy ? 0 : position)
            WHERE id = \(id) AND owner = \(from)
            """)
        if isCopy { try releaseFile(old.blob, tx) }
        try tx.run("DELETE FROM media_tag WHERE media = \(id)")
        try search.remove(kind: Asset.kind, id: id, owner: from, tx)
        try events.emit(.mediaAdded, MediaEvent(asset), to: owner, tx)
        // The charges are sorted, as in every write that changes the usage of several accounts, so that two such writes cannot deadlock.
        let charges = [
            (from, UsageLedger.Charge(byteCount: -old.byteCount, fileCount: -1, rowBytes: -(counted ?? 0))),
            (owner, UsageLedger.Charge(byteCount: asset.byteCount, fileCount: 1, rowBytes: asset.rowBytes)),
        ]
        for (account, charge) in charges.sorted(by: { $0.0 < $1.0 }) { try usage.note(charge, of: account, tx) }
        return true
    }

    /// The stored copy of a picture without its metadata. Adds a reference to the copy's blob, as a blob of `owner`. The row of the copy
    /// stays, because another file with the same bytes may be given to a further account.
    /// - Returns: `nil` when no such copy is stored. No transaction can make one, because that takes a media worker.
    private func strippedCopy(of original: BlobKey, for owner: String, _ tx: WriteTransaction) throws -> MediaVariant? {
        // Another write could otherwise replace the copy between the two statements.
        try lockVariants(of: original, tx)
        guard let copy = try variant(of: original, CopySpec.stripped.name, tx) else { return nil }
        return try ledger.share(copy.blob, with: owner, tx) ? copy : nil
    }
}

extension Asset {
    /// Replaces the file's bytes with those of the copy without metadata, and clears `takenAt`, which the server had read from the
    /// metadata.
    fileprivate mutating func takeBytes(of copy: MediaVariant) {
        (blob, type, sha256, byteCount, takenAt) = (copy.blob, copy.type, copy.sha256, copy.byteCount, nil)
        // A copy that had to be encoded again was scaled down to this size, so the size of the original no longer applies.
        if max(width ?? 0, height ?? 0) > PictureLimits.variantSide { (width, height) = (nil, nil) }
    }
}
