package import Core
import Database

/// A request's body, all of it read: its texts, and its files on disk under their final keys but known to no row yet.
package struct ReceivedUpload: Sendable {
    package struct File: Sendable {
        /// The form's field it came in.
        package let field: String
        /// A label, as sent; `nil` when the client sent none.
        package let name: String?
        /// What `FileKind.conclude` found.
        package let type: String
        package let blob: StagedBlob
    }

    package struct Refusal: Sendable {
        package let name: String?
        package let problem: Problem
    }

    package let texts: [String: String]
    package let files: [File]
    package let refusals: [Refusal]
    let store: any BlobStore

    /// Takes the bytes away again: the rows were not made, or these bytes were there already.
    package func discard(_ surplus: [BlobKey]) async {
        for key in surplus {
            // A file that cannot be removed now has no row, so the sweep finds it.
            try? await store.delete(key)
        }
    }

    package func discardAll() async { await discard(files.map(\.blob.key)) }
}

extension ReceivedUpload {
    /// Runs what makes the rows. When it succeeds, the bytes that were there already go. When it throws what can only mean that
    /// there are no rows, all bytes go; after any other error (a commit whose answer was lost) rows may exist, so the bytes stay
    /// and the sweep, which asks the rows, decides.
    package func settle<T>(_ commit: () async throws -> (T, surplus: [BlobKey])) async throws -> T {
        do {
            let (value, surplus) = try await commit()
            await discard(surplus)
            return value
        } catch {
            if error is Problem || (error as? DatabaseError)?.meansNothingWritten == true { await discardAll() }
            throw error
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
