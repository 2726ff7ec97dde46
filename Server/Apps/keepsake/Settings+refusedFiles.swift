import Blobs
import Core
import Foundation
import S3Blobs

/// Explains errors when this user may not read stored files: commands then say who owns the files. Such files are not damaged.
extension Settings {
    /// - Returns: if `error` is about permissions, an error that names the folder or file, its owner, the user and what to do; otherwise
    ///   `error` itself.
    func explainingRefusal(_ error: any Error) -> any Error {
        switch error {
        case BlobError.forbidden(let key):
            if let refusal = refusal(of: key) { return refusal }
        case BlobError.system(operation: _, code: let code) where code == EACCES || code == EPERM:
            if let refusal = refusal() { return refusal }
        default: break
        }
        return error
    }

    /// - Parameter key: a file that this user may not read; `nil` to examine only the folders.
    /// - Returns: why the user may not use the folders and the file; `nil` if that has become possible.
    func refusal(of key: BlobKey? = nil) -> Problem? {
        guard case .file(let folder) = blobs else { return nil }
        do {
            try requireFileAccess()
            if let key { try SystemUser.requireAccess(to: LocalBlobStore.file(of: key, in: folder)) }
            return nil
        } catch {
            return error as? Problem
        }
    }
}
