package import Core
import Database

/// A request's body, all of it read: its texts, and its files on disk under their final keys but known to no row yet.
package struct ReceivedUpload: Sendable {
    package struct File: Sendable {
        /// The form's field it came in.
        package let field: String
        /// A label, as sent; `nil` when the client sent none.
        package let name: String?
        /// What it was found to be; without an examiner, no more than its type by its outside.
        package let facts: FileFacts
        package let blob: StagedBlob
        /// The reservation that covers the request's files; the write that makes their rows gives it back. `nil` when there is none.
        package let reservation: String?
    }

    package struct Refusal: Sendable {
        package let name: String?
        package let problem: Problem
    }

    package let texts: [String: String]
    package let files: [File]
    package let refusals: [Refusal]
    let store: any BlobStore
    let allowance: UploadAllowance?

    /// As `BlobStore.settle`, for the request's files. What was reserved for them is given back by `commit` with the rows it makes;
    /// when it fails, or there are no files, here.
    package func settle<T>(_ commit: () async throws -> (T, surplus: [BlobKey])) async throws -> T {
        do {
            let value = try await store.settle(files.map(\.blob.key), commit)
            if files.isEmpty { await allowance?.release() } else { allowance?.convert() }
            return value
        } catch {
            await allowance?.release()
            throw error
        }
    }
}

extension BlobStore {
    /// Runs what makes the rows of published bytes. When it succeeds, the bytes that were there already go. When it throws what can only mean that
    /// there are no rows, all bytes go; after any other error (a commit whose answer was lost) rows may exist, so the bytes stay
    /// and the sweep, which asks the rows, decides.
    package func settle<T>(_ keys: [BlobKey], _ commit: () async throws -> (T, surplus: [BlobKey])) async throws -> T {
        do {
            let (value, surplus) = try await commit()
            await discard(surplus)
            return value
        } catch {
            if error is Problem || (error as? DatabaseError)?.meansNothingWritten == true { await discard(keys) }
            throw error
        }
    }

    private func discard(_ keys: [BlobKey]) async {
        for key in keys {
            // A file that cannot be removed now has no row, so the sweep finds it.
            try? await delete(key)
        }
    }
}

extension DatabaseError {
    fileprivate var meansNothingWritten: Bool {
        switch self {
        case .full, .busy, .unavailable: true
        default: false
        }
    }
}
