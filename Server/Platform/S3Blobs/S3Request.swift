import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// The requests that the store sends, by the names of their actions in S3's documentation.
package enum S3Operation: String, Sendable, CaseIterable {
    case getObject = "GetObject"
    case headObject = "HeadObject"
    case putObject = "PutObject"
    case deleteObject = "DeleteObject"
    case listObjects = "ListObjectsV2"
    case createUpload = "CreateMultipartUpload"
    case uploadPart = "UploadPart"
    case copyPart = "UploadPartCopy"
    case completeUpload = "CompleteMultipartUpload"
    case abortUpload = "AbortMultipartUpload"
    case listParts = "ListParts"
    case listUploads = "ListMultipartUploads"
    case headBucket = "HeadBucket"
}

/// One finished attempt of a request, for the metrics page.
package struct S3Observation: Sendable {
    package let operation: S3Operation
    /// `nil` when there was no response.
    package let status: Int?
    /// From the request to the response's head.
    package let duration: Duration
    package let sentByteCount: Int
    /// Bytes of a response's body. They are counted when they are read, in a separate observation without a status.
    package let receivedByteCount: Int
    /// Whether the request had failed before.
    package let isRetry: Bool
    /// Whether this only reports bytes of a body.
    package let isBody: Bool
}

struct S3Request: Sendable {
    let operation: S3Operation
    let method: HTTPMethod
    /// The object's name without the address's prefix; `nil` for the bucket.
    let name: String?
    var query: [(String, String)] = []
    /// Names in lower case, each once. All are signed.
    var headers: [(String, String)] = []
    var body = S3Body.none
}

enum S3Body: Sendable {
    case none
    case bytes(ByteBuffer, sha256: String)
    case file(PartFile, byteCount: Int, sha256: String)

    var sha256: String {
        switch self {
        case .none: SigV4.emptyHash
        case .bytes(_, let sha256), .file(_, _, let sha256): sha256
        }
    }

    var byteCount: Int {
        switch self {
        case .none: 0
        case .bytes(let bytes, _): bytes.readableBytes
        case .file(_, let byteCount, _): byteCount
        }
    }

    /// The body of one attempt.
    func outgoing() -> Outgoing {
        switch self {
        case .none: Outgoing(body: nil)
        case .bytes(let bytes, _): Outgoing(body: .bytes(bytes))
        case .file(let file, let byteCount, _): Outgoing(file.body(byteCount: byteCount))
        }
    }

    struct Outgoing: Sendable {
        let body: HTTPClientRequest.Body?
        private let file: PartFile.Body?

        init(body: HTTPClientRequest.Body?) {
            self.body = body
            file = nil
        }

        init(_ file: PartFile.Body) {
            body = .stream(file, length: .known(Int64(file.byteCount)))
            self.file = file
        }

        /// Call this when the attempt has ended. An earlier call would fail the request and lose the store's error code.
        func release() { file?.release() }
    }
}

struct S3Response: Sendable {
    let status: Int
    let headers: HTTPHeaders
    let body: ByteBuffer

    var text: String { String(buffer: body) }
}
