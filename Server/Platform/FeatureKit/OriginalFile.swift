package import Blobs
package import Core

/// A file as its owner uploaded it.
package struct OriginalFile: Sendable {
    package let id: String
    /// The name that its owner gave it. Untrusted: it may contain any characters.
    package let name: String
    package let blob: BlobKey
    package let byteCount: Int64
    package let createdAt: Timestamp

    package init(id: String, name: String, blob: BlobKey, byteCount: Int64, createdAt: Timestamp) {
        self.id = id
        self.name = name
        self.blob = blob
        self.byteCount = byteCount
        self.createdAt = createdAt
    }
}
