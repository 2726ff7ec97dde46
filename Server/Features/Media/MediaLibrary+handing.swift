import Blobs
package import Database
import Live
import Search

/// Giving a file to another account.
extension MediaLibrary {
    /// Moves a file to another account. The file then counts against the new owner's quota, and may exceed it. The labels that the old
    /// owner gave the file are removed. The blob moves too, even if other files of the old owner share it. So call this only in the write
    /// that closes the old owner's account, or for files that were uploaded without a credential, which share no blob.
    /// - Returns: `false` when `from` has no such file.
    package func hand(_ id: String, from: String, to owner: String, _ tx: WriteTransaction) throws -> Bool {
        try store.hand(id, from: from, to: owner, tx)
    }
}

extension MediaStore {
    func hand(_ id: String, from: String, to owner: String, _ tx: WriteTransaction) throws -> Bool {
        try tx.lock("media " + id)
        guard let old = try asset(id, owner: from, tx) else { return false }
        let counted: Int64? = try tx.row("SELECT row_bytes FROM media WHERE id = \(id) AND owner = \(from)")?.get("row_bytes")
        var asset = old
        asset.owner = owner
        (asset.title, asset.description, asset.tags, asset.groupID) = (nil, nil, [], nil)
        // Smaller copies are blobs of the old owner; they are made again when somebody asks for them.
        try dropVariants(of: old.blob, tx)
        try ledger.hand(old.blob, to: owner, tx)
        try tx.run(
            """
            UPDATE media SET owner = \(owner), title = NULL, description = NULL, tags = '[]', group_id = NULL,
                row_bytes = \(asset.rowBytes), playback = CASE WHEN playback = 'original' THEN playback END
            WHERE id = \(id) AND owner = \(from)
            """)
        try tx.run("DELETE FROM media_tag WHERE media = \(id)")
        try search.remove(kind: Asset.kind, id: id, owner: from, tx)
        try events.emit(.mediaAdded, MediaEvent(asset), to: owner, tx)
        // Sorted, as in every write that changes several accounts' usage.
        let charges = [
            (from, UsageLedger.Charge(byteCount: -old.byteCount, fileCount: -1, rowBytes: -(counted ?? 0))),
            (owner, UsageLedger.Charge(byteCount: old.byteCount, fileCount: 1, rowBytes: asset.rowBytes)),
        ]
        for (account, charge) in charges.sorted(by: { $0.0 < $1.0 }) { try usage.note(charge, of: account, tx) }
        return true
    }
}
