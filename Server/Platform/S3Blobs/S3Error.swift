import Blobs

/// Why a request to the object store failed. It contains no key, no signature and no URL.
package struct S3Error: Error, Sendable, Equatable {
    package let operation: S3Operation
    /// The response's status; `nil` when there was no complete response.
    package let status: Int?
    /// The store's error code, for example `NoSuchKey`; without a response, what happened to the connection.
    package let code: String
    /// The region that the store expects, when it says so.
    package var region: String?
    /// How far the store's clock is ahead of this machine's, in seconds, as the response's `Date` shows.
    package var skewSeconds: Int64?
}

extension S3Error: CustomStringConvertible {
    package var description: String {
        status.map { "\(operation.rawValue): status \($0), \(code)" } ?? "\(operation.rawValue): \(code)"
    }
}

extension S3Error {
    /// Codes of failures without a response: the client does not accept the store's certificate.
    static let untrusted = "its certificate is not trusted"
    static let otherName = "its certificate is for another name"

    /// Whether the same request may succeed a moment later.
    var isTemporary: Bool {
        guard let status else { return true }
        return status == 429 || status == 408 || status >= 500 && status != 501 && status != 507 || Self.temporary.contains(code)
    }

    private static let temporary: Set<String> = [
        "RequestTimeout", "OperationAborted", "ConditionalRequestConflict", "SlowDown", "SlowDownRead", "SlowDownWrite", "InternalError",
        "ServiceUnavailable", "IncompleteBody", "BadDigest", "XAmzContentSHA256Mismatch", "TooManyRequests", "Throttling",
    ]

    private static let full: Set<String> = ["QuotaExceeded", "XMinioStorageFull", "InsufficientStorage", "StorageFull"]

    var isMissing: Bool { status == 404 && code != "NoSuchBucket" }

    /// - Parameter key: the blob that the request was about.
    func blobError(_ key: BlobKey?) -> BlobError {
        if isMissing, let key { return .missing(key) }
        if status == 507 || Self.full.contains(code) { return .full }
        return isTemporary ? .unavailable(description) : .refused(description)
    }
}

/// Runs `body`; an error of the object store becomes the `BlobError` that callers of a `BlobStore` know.
func mapped<T>(_ key: BlobKey?, _ body: () async throws -> T) async throws -> T {
    do {
        return try await body()
    } catch let error as S3Error {
        throw error.blobError(key)
    }
}
