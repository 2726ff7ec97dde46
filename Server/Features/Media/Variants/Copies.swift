import Blobs
import Core
import MediaTools
import NIOCore

/// A kind of copy that the server makes of an original and stores.
enum CopySpec: Sendable, Equatable {
    case smaller(VariantSpec)
    /// The original picture without its metadata.
    case stripped

    /// Identifies the copy among those of its original. If the way to remove the metadata changes, the name must change, too.
    var name: String {
        switch self {
        case .smaller(let spec): spec.name
        case .stripped: "stripped-1"
        }
    }
}

/// A copy's bytes, and their media type.
struct EncodedCopy: Sendable {
    let content: MediaResult
    let type: String
}

/// A copy that was just made. Its bytes are in memory, and may not be stored yet.
struct FreshCopy: Sendable {
    let blob: MemoryBlob
    let type: String
    let createdAt: Timestamp

    /// Hashes the bytes.
    /// - Parameters:
    ///   - original: the key of the original's blob.
    ///   - share: the copy's share of the memory for copies.
    /// - Throws: as `MediaResult.bytes`.
    init(_ copy: EncodedCopy, of original: BlobKey, createdAt: Timestamp, share: SharedBudget.Share) throws {
        blob = MemoryBlob(ByteBuffer(bytes: try copy.content.bytes()), key: original, share: share)
        type = copy.type
        self.createdAt = createdAt
    }
}

enum MadeCopy: Sendable {
    case kept(MediaVariant)
    /// Sent from memory while it is being stored.
    case fresh(FreshCopy)
}
