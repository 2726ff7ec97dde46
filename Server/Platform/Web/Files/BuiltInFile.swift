import Core
import Crypto
import HTTPTypes
package import Hummingbird
import NIOCore

/// Bytes that the program carries or has made once, such as a page: told apart by a tag, and asked for again each time.
package struct BuiltInFile: Sendable {
    private let bytes: ByteBuffer
    private let type: String
    package let etag: String
    private let cacheControl: String

    /// - Parameter cacheControl: by default a client asks each time whether it is still the same; a new program has new pages.
    package init(_ bytes: some Sequence<UInt8>, type: String, cacheControl: String = "no-cache") {
        self.bytes = ByteBuffer(bytes: bytes)
        self.type = type
        self.cacheControl = cacheControl
        etag = "\"\(Hex.encode(SHA256.hash(data: self.bytes.readableBytesView)))\""
    }

    /// - Throws: `.preconditionFailed`.
    package func conditionalResponse(to request: Request) throws -> Response {
        var headers: HTTPFields = [.eTag: etag, .cacheControl: cacheControl, .xContentTypeOptions: "nosniff"]
        // By tag alone: without a date of its own there is none to compare.
        var conditions = HTTPFields()
        for name in [HTTPField.Name.ifMatch, .ifNoneMatch] { conditions[name] = request.headers[name] }
        switch Conditions.decide(conditions, etag: etag, lastModified: Timestamp(seconds: 0)) {
        case .preconditionFailed: throw Problem(.preconditionFailed, "The document is not the one you named.")
        case .notModified: return Response(status: .notModified, headers: headers)
        case .proceed:
            headers[.contentType] = type
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
        }
    }

    /// What is said instead of something else: under another status, and never kept.
    package func response(status: HTTPResponse.Status) -> Response {
        Response(status: status, headers: [.contentType: type, .cacheControl: "no-store"], body: ResponseBody(byteBuffer: bytes))
    }
}
