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
    ///   - type: the content type to store and serve it with, if it is more exact than the one that the examiner found.
    ///   - rowBytes: bytes of the caller's row, which the file's row counts until it is erased, see `RowBytes`.
    package func unlistedFile(_ received: ReceivedUpload.File, type: String, rowBytes: Int64) -> File {
        let labels = MediaRules.Labels(category: Asset.unlisted, tags: [], groupID: nil)
        var asset = NewAsset(received, id: identifiers.next(), labels: labels, type: type)
        asset.furtherRowBytes = rowBytes
        return File(id: asset.id, durationMilliseconds: received.facts.durationMilliseconds, asset: asset)
    }

    /// Adjusts what an unlisted file's row counts for the caller's row, even beyond the quota: the server itself writes the growth.
    package func adjust(rowBytes: Int64, of id: String, owner: String, _ tx: WriteTransaction) throws {
        guard rowBytes != 0,
            try tx.run("UPDATE media SET row_bytes = row_bytes + \(rowBytes) WHERE id = \(id) AND owner = \(owner)") == 1
        else { return }
        try store.usage.note(.init(rowBytes: rowBytes), of: owner, tx)
    }
}

extension MediaLibrary {
    /// An account's id as a part of a path. The id of an external issuer may hold any character.
    package static func pathComponent(of account: String) -> String { MediaPresenter.pathComponent(account) }
}
