import Blobs
import Core
import Foundation
import S3Blobs

/// Commands that read stored files say whose they are if this user may not read them. Such files are not damaged.
extension Settings {
    /// - Returns: for an error about permissions, one that names the folder or file, its owner, the user and what to do; `error` otherwise.
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
    /// - Returns: `nil` if the user may use the folders and the file by now.
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
