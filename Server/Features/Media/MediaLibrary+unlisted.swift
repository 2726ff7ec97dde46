package import Blobs
import Core
package import Database

/// Files that belong to another feature's entry and are in none of the library's lists. They count against the quota, have variants, and are
/// exported and erased like all files. No event announces them.
extension MediaLibrary {
    /// One file of at most 100 MB in the field `file`: JPEG, PNG, GIF, MP4, MOV, text, PDF, Word (both formats) or USDZ. Any refusal ends the
    /// request.
    package static var chatFile: UploadRules.FileKind { MediaRules.chatFile }

    /// - Parameters:
    ///   - type: the content type with which to store and serve the file; it may be more exact than the one that the examiner found.
    ///   - rowBytes: bytes of the caller's row, see `RowBytes`. They count as bytes of the file's row until the file is erased.
    package func unlistedFile(_ received: ReceivedUpload.File, type: String, rowBytes: Int64) -> File {
        let labels = MediaRules.Labels(category: Asset.unlisted, tags: [], groupID: nil)
        var asset = NewAsset(received, id: identifiers.next(), labels: labels, type: type)
        asset.furtherRowBytes = rowBytes
        return File(id: asset.id, durationMilliseconds: received.facts.durationMilliseconds, asset: asset)
    }

    /// Changes how many bytes an unlisted file's row counts for the caller's row. The change may exceed the quota, because the server
    /// itself makes the row grow.
    package func adjust(rowBytes: Int64, of id: String, owner: String, _ tx: WriteTransaction) throws {
        guard rowBytes != 0,
            try tx.run("UPDATE media SET row_bytes = row_bytes + \(rowBytes) WHERE id = \(id) AND owner = \(owner)") == 1
        else { return }
        try store.usage.note(.init(rowBytes: rowBytes), of: owner, tx)
    }
}
