import Core
import Crypto
import HTTPTypes
package import Hummingbird
import NIOCore

/// A document that is part of the program or made once per start, such as a page. It has an ETag, and clients revalidate it on each use.
/// All responses send slices of the same bytes.
package struct BuiltInFile: Sendable {
    private let bytes: ByteBuffer
    private let type: String
    package let etag: String
    private let cacheControl: String

    /// - Parameter cacheControl: by default a client revalidates on each use, because a new version of the program has new pages.
    package init(_ bytes: some Sequence<UInt8>, type: String, cacheControl: String = "no-cache") {
        self.bytes = ByteBuffer(bytes: bytes)
        self.type = type
        self.cacheControl = cacheControl
        etag = "\"\(Hex.encode(SHA256.hash(data: self.bytes.readableBytesView)))\""
    }

    /// - Throws: `.preconditionFailed`.
    package func conditionalResponse(to request: Request, _ context: WebContext) throws -> Response {
        var headers: HTTPFields = [.eTag: etag, .cacheControl: cacheControl, .xContentTypeOptions: "nosniff"]
        // Only the conditions on the ETag count: the document has no modification date to compare.
        var conditions = HTTPFields()
        for name in [HTTPField.Name.ifMatch, .ifNoneMatch] { conditions[name] = request.headers[name] }
        switch Conditions.decide(conditions, etag: etag, lastModified: Timestamp(seconds: 0)) {
        case .preconditionFailed: throw Problem(.preconditionFailed, "The document has changed since you read it.")
        case .notModified: return Response(status: .notModified, headers: headers)
        case .proceed:
            headers[.contentType] = type
            context.record.update { $0.isBuiltIn = true }
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
        }
    }

    /// The document as the body of a response with another status, such as an error page. Never cached.
    package func response(status: HTTPResponse.Status) -> Response {
        Response(status: status, headers: [.contentType: type, .cacheControl: "no-store"], body: ResponseBody(byteBuffer: bytes))
    }
}
