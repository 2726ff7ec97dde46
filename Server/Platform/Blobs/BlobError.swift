#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a store of bytes can fail with. Never holds a path.
package enum BlobError: Error, Sendable, Equatable {
    /// No room left, on the disk or within its quota.
    case full
    /// There is no such blob.
    case missing(BlobKey)
    /// The bytes end before their byte count: they were damaged after they were opened.
    case truncated(BlobKey)
    /// Staged more than 24 hours ago: the sweep may be about to take it, so it is not published any more.
    case stale(BlobKey)
    /// The writer was finished or aborted before.
    case ended
    /// A checkpoint was asked of a blob that only this process writes.
    case notResumable
    /// The store was closed.
    case closed
    /// Another keepsake serves this folder. `process` is its number, where it could be read.
    case locked(process: Int?)
    /// The operating system refused: what was tried, and its errno.
    case system(operation: String, code: CInt)
    /// A probe read back something else than it had written.
    case unfaithful
}

extension BlobError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .full: "no room left where the blobs are kept"
        case .missing(let key): "the blob \(key) is missing"
        case .truncated(let key): "the blob \(key) is shorter than it was"
        case .stale(let key): "the blob \(key) was staged more than 24 hours ago"
        case .notResumable: "the blob is not resumable"
        case .ended: "the blob was finished or aborted before"
        case .closed: "the blob store is closed"
        case .locked(let process): "another keepsake\(process.map { " (process \($0))" } ?? "") serves this folder"
        case .system(let operation, let code): "\(operation): \(String(cString: strerror(code)))"
        case .unfaithful: "what was read back is not what was written"
        }
    }
}

extension BlobError {
    /// - Parameter code: an errno.
    init(_ operation: String, _ code: CInt) {
        self = code == ENOSPC || code == EDQUOT ? .full : .system(operation: operation, code: code)
    }
}
