#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Errors of a blob store. Only `locked` contains a path.
package enum BlobError: Error, Sendable, Equatable {
    /// No space left, on the disk or within its quota.
    case full
    /// There is no such blob.
    case missing(BlobKey)
    /// This user may not read the blob's file, or its folder.
    case forbidden(BlobKey)
    /// The file has fewer bytes than its byte count says: it was damaged after it was opened.
    case truncated(BlobKey)
    /// The blob was staged more than 24 hours ago. The sweep may be about to delete it, so it is no longer published.
    case stale(BlobKey)
    /// The writer has already been finished or aborted.
    case ended
    /// A checkpoint was requested for a blob that is not resumable.
    case notResumable
    /// The store was closed.
    case closed
    /// Another keepsake process serves the folder. `process` is its process ID, if it could be read.
    case locked(folder: String, process: Int?)
    /// A system call failed: the operation, and its errno.
    case system(operation: String, code: CInt)
    /// The object store cannot be reached or is overloaded; the call may succeed later. The text names the request and the reason.
    case unavailable(String)
    /// The object store refuses the call: a setting or a permission is wrong. The text names the request and the store's error code.
    case refused(String)
    /// A probe read back other bytes than it had written.
    case unfaithful
}

extension BlobError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .full: "no room left where the blobs are kept"
        case .missing(let key): "the blob \(key) is missing"
        case .forbidden(let key): "this user may not read the blob \(key)"
        case .truncated(let key): "the blob \(key) is shorter than it was"
        case .stale(let key): "the blob \(key) was staged more than 24 hours ago"
        case .notResumable: "the blob is not resumable"
        case .ended: "the blob's writer has already been finished or aborted"
        case .closed: "the blob store is closed"
        case .locked(let folder, let process): "another keepsake\(process.map { " (process \($0))" } ?? "") serves the folder \(folder)"
        case .system(let operation, let code): "\(operation): \(String(cString: strerror(code)))"
        case .unavailable(let reason): "the object store is not available: \(reason)"
        case .refused(let reason): "the object store refused a request: \(reason)"
        case .unfaithful: "the bytes read back differ from the bytes written"
        }
    }
}

extension BlobError {
    /// Whether the disk could not read the bytes. A command that copies blobs then treats this blob as damaged and continues with the
    /// others.
    package var isUnreadable: Bool {
        if case .system(operation: _, code: EIO) = self { true } else { false }
    }

    /// - Parameter code: an errno.
    package init(_ operation: String, _ code: CInt) {
        self = code == ENOSPC || code == EDQUOT ? .full : .system(operation: operation, code: code)
    }
}
