package import Blobs
package import Core
package import Logging

/// Where blobs are stored: `file:DIR` or `s3://BUCKET?…`.
package enum BlobAddress: Sendable {
    case file(folder: String)
    case s3(S3Address, S3Credentials)

    /// - Parameter environment: holds the keys of an object store.
    /// - Throws: `S3Address.Wrong`, whose description continues a sentence that begins with the setting's name.
    package init(_ text: String, environment: [String: String]) throws(S3Address.Wrong) {
        if text.hasPrefix("s3:") {
            self = .s3(try S3Address(text), try S3Credentials(environment: environment))
        } else if text.hasPrefix("file:"), text.utf8.count > 5 {
            self = .file(folder: String(text.dropFirst(5)))
        } else {
            // The message does not quote the address: a wrong one may contain keys, like https://KEY:SECRET@HOST.
            throw S3Address.Wrong(description: "must look like file:DIR or s3://BUCKET?endpoint=https://HOST&region=REGION")
        }
    }

    package struct Options: Sendable {
        /// Whether to delete staged blobs of the local store that are not resumable. Only the process that holds the folder's lock may set
        /// it.
        package var removingLeftovers = false
        /// The most file descriptors that the local store keeps open between requests.
        package var keptOpen = 0
        /// The bytes that the local store leaves free on its disk: it refuses a blob for which less space is left.
        package var keptFree: Int64 = 0
        /// The folder in which uploads to an object store keep the part that is being received. The files have no name there, so the system
        /// deletes them when the process ends.
        package var scratchFolder: String
        /// Receives every request to an object store.
        package var observe: @Sendable (S3Observation) -> Void = { _ in }

        package init(scratchFolder: String) { self.scratchFolder = scratchFolder }
    }

    /// Opens the store. Sends no request to an object store, so that the server also starts while the store is away.
    package func open(_ options: Options, clock: WallClock = .system, entropy: Entropy = .system, logger: Logger) async throws
        -> any BlobStore
    {
        switch self {
        case .file(let folder):
            return try await LocalBlobStore.open(
                folder: folder, removingLeftovers: options.removingLeftovers, keptOpen: options.keptOpen, keptFree: options.keptFree,
                clock: clock, entropy: entropy)
        case .s3(let address, let credentials):
            var settings = S3BlobStore.Options()
            settings.observe = options.observe
            return try await S3BlobStore.open(
                address, credentials, scratchFolder: options.scratchFolder, clock: clock, entropy: entropy, logger: logger,
                options: settings)
        }
    }
}
