package import Blobs
package import Core
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A stored file that a route sends.
package struct ServedFile: Sendable {
    let open: @Sendable () async throws -> any BlobReader
    let byteCount: Int64
    /// The media type that the server detected in the content; never the one that the client declared.
    let contentType: String
    /// The file name that the client suggests to the person who saves the file.
    let fileName: String
    /// SHA-256 of the content in lower-case hexadecimal; also the ETag.
    let sha256: String
    let modifiedAt: Timestamp
    /// Whether the content depends on the request's `Accept`.
    let dependsOnAccept: Bool

    package init(
        byteCount: Int64, contentType: String, fileName: String, sha256: String, modifiedAt: Timestamp, dependsOnAccept: Bool = false,
        open: @escaping @Sendable () async throws -> any BlobReader
    ) {
        self.open = open
        self.byteCount = byteCount
        self.contentType = contentType
        self.fileName = fileName
        self.sha256 = sha256
        self.modifiedAt = modifiedAt
        self.dependsOnAccept = dependsOnAccept
    }

    func response(to request: Request, _ context: WebContext) async throws -> Response {
        let etag = "\"\(sha256)\""
        var headers: HTTPFields = [
            .eTag: etag,
            .lastModified: HTTPDate.format(seconds: modifiedAt.seconds),
            .cacheControl: Self.cacheControl(context.link),
            .acceptRanges: "bytes",
            .xContentTypeOptions: "nosniff",
            // Whatever an uploaded file contains, a browser that opens it runs no script and loads nothing.
            .contentSecurityPolicy: "sandbox; default-src 'none'",
        ]
        if dependsOnAccept { headers[.vary] = "Accept" }
        switch Conditions.decide(request.headers, etag: etag, lastModified: modifiedAt) {
        case .preconditionFailed: throw Problem(.preconditionFailed, "The file is not the one you named.")
        case .notModified: return Response(status: .notModified, headers: headers)
        case .proceed: break
        }
        headers[.contentType] = contentType
        headers[.contentDisposition] = Self.disposition(contentType: contentType, fileName: fileName)
        let asked = Conditions.rangeHolds(request.headers, etag: etag, lastModified: modifiedAt) ? request.headers[.range] : nil
        switch ByteRange.parse(asked, byteCount: byteCount) {
        case .unsatisfiable:
            return Response(status: .rangeNotSatisfiable, headers: [.contentRange: "bytes */\(byteCount)", .acceptRanges: "bytes"])
        case .whole:
            return Response(status: .ok, headers: headers, body: try await body(0..<byteCount, request.method, context))
        case .part(let range):
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)"
            return Response(status: .partialContent, headers: headers, body: try await body(range, request.method, context))
        }
    }

    private func body(_ range: Range<Int64>, _ method: HTTPRequest.Method, _ context: WebContext) async throws -> ResponseBody {
        let length = Int(range.upperBound - range.lowerBound)
        guard method != .head, length > 0 else { return ResponseBody(contentLength: length) { try await $0.finish(nil) } }
        // Before opening the file, so that a refused request uses no file descriptor.
        let place = try context.enterAnswer()
        // Open the file before the head is sent, so that a missing file gives an error and not a truncated response.
        let reader = try await open()
        return try context.body(place, byteCount: length) { answer in try await answer.send(reader, range) }
    }

    private static func cacheControl(_ link: SignedLinks.Grant?) -> String {
        guard let link else { return "private, no-cache" }
        return "private, max-age=\(max(0, link.expiresAt.seconds - link.now.seconds)), immutable"
    }

    /// `Content-Disposition` (RFC 6266) with the name in ASCII for old clients and in UTF-8 (RFC 8187) for the others.
    static func disposition(contentType: String, fileName: String) -> String {
        let fileName = FileEnding.name(fileName, of: contentType)
        let shown = ["image/", "audio/", "video/"].contains { contentType.hasPrefix($0) } && !contentType.hasPrefix("image/svg")
        let plain = String(
            fileName.unicodeScalars.map { 0x20..<0x7F ~= $0.value && $0 != "\"" && $0 != "\\" && $0 != "%" ? Character($0) : "_" })
        var value = "\(shown ? "inline" : "attachment"); filename=\"\(plain)\""
        if plain != fileName, let encoded = fileName.addingPercentEncoding(withAllowedCharacters: attributeCharacters) {
            value += "; filename*=UTF-8''\(encoded)"
        }
        return value
    }

    /// RFC 8187 §3.2.1, `attr-char`.
    private static let attributeCharacters = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!#$&+-.^_`|~")
}
