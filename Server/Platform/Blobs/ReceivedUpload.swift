package import Core
import Database

/// A request's body after it was read: its texts, and its files on disk under their final keys but without rows yet.
package struct ReceivedUpload: Sendable {
    package struct File: Sendable {
        /// The form field that carried the file.
        package let field: String
        /// The file name as the client sent it, only a label; `nil` when it sent none.
        package let name: String?
        /// What the examiner found; without an examiner, only the type from the first and last bytes.
        package let facts: FileFacts
        package let blob: StagedBlob
        /// The quota reservation that covers the request's files; the write that makes their rows releases it. `nil` when there is none.
        package let reservation: String?
    }

    package struct Refusal: Sendable {
        package let name: String?
        /// The file's position in the request, from 0.
        package let number: Int
        package let problem: Problem

        /// The file's name, its place, and why it is refused. Phones give several files the same name, so the name is not enough.
        package var line: String { Self.line(name, number, problem) }

        static func line(_ name: String?, _ number: Int, _ problem: Problem) -> String {
            "\(name ?? "file"): \(problem.message) (file \(number + 1) of the request)"
        }
    }

    package let texts: [String: String]
    package let files: [File]
    package let refusals: [Refusal]
    let store: any BlobStore
    let allowance: UploadAllowance?

    /// - Parameter field: the form field in which clients send the file, for the error.
    /// - Returns: the first file.
    /// - Throws: `.invalid` naming the field when the request has no file.
    package func requireFile(_ field: String) throws -> File {
        guard let file = files.first else {
            throw Problem(.invalid, "There is no file in the request; send one under `\(field)`.", field: field)
        }
        return file
    }

    /// Like `BlobStore.settle`, for the request's files. `commit` releases the quota reservation in the transaction that makes the rows. If
    /// `commit` fails or there are no files, this function releases the reservation.
    package func settle<T>(_ commit: () async throws -> (T, surplus: [BlobKey])) async throws -> T {
        do {
            let value = try await store.settle(files.map(\.blob.key), commit)
            if files.isEmpty { await allowance?.release() } else { allowance?.didCommit() }
            return value
        } catch {
            await allowance?.release()
            throw error
        }
    }
}

extension BlobStore {
    /// Runs `commit`, which makes the rows of published bytes. After success it deletes the surplus copies. If `commit` throws an error
    /// that proves that nothing was written, it deletes all the bytes. After any other error, such as a commit whose acknowledgement was
    /// lost, the rows may exist: the bytes stay, and the sweep deletes them if they have no rows. The bytes also stay when another
    /// connection, maybe on another node, has resumed the upload and makes rows of the same files.
    package func settle<T>(_ keys: [BlobKey], _ commit: () async throws -> (T, surplus: [BlobKey])) async throws -> T {
        do {
            let (value, surplus) = try await commit()
            await discard(surplus)
            return value
        } catch {
            if error is Problem && !UploadJournal.isFenced(error) || (error as? DatabaseError)?.meansNothingWritten == true {
                await discard(keys)
            }
            throw error
        }
    }

    private func discard(_ keys: [BlobKey]) async {
        for key in keys {
            // A file that cannot be deleted now has no row, so the sweep deletes it.
            try? await delete(key)
        }
    }
}

extension DatabaseError {
    fileprivate var meansNothingWritten: Bool {
        switch self {
        case .full, .busy, .unavailable, .nulInText: true
        default: false
        }
    }
}
