package import Core
import Foundation
import HTTPTypes
import Hummingbird
package import KeepsakeWire
import NIOCore
import NIOFoundationCompat
import Synchronization
import WireJSON

/// How one surface renders its responses. It is a value that belongs to the route, so that a surface needs no implementation of its own.
package struct Dialect: Sendable {
    let surface: Surface
    private let errorBody: @Sendable (Problem) -> any JSONWritable

    package static func of(_ surface: Surface) -> Dialect {
        switch surface {
        case .multimedia: multimedia
        case .coves: Dialect(surface: .coves) { MessageErrorBody(message: $0.message) }
        case .chat: Dialect(surface: .chat) { MessageErrorBody(message: $0.message) }
        case .captures: coded(.captures)
        case .uploads: Dialect(surface: .uploads) { UploadErrorBody(details: $0.message) }
        case .capsules: coded(.capsules)
        }
    }

    private static func coded(_ surface: Surface) -> Dialect {
        Dialect(surface: surface) { CodedErrorBody(error: $0.code ?? $0.kind.code, message: $0.message) }
    }

    private static let multimedia = Dialect(surface: .multimedia) {
        MultimediaErrorBody(
            error: $0.kind.title, details: $0.message, code: $0.status,
            refused: $0.files.isEmpty ? nil : $0.files.map { RefusedFile($0) })
    }

    private static let errorField = HTTPField.Name(ErrorField.headerName)
    private static let errorCode = HTTPField.Name(ErrorField.codeHeaderName)

    func response(_ problem: Problem) -> Response {
        let status = HTTPResponse.Status(code: problem.status)
        // Error bodies hold strings and whole numbers only, which always encode.
        let body = try? Self.buffer(errorBody(problem), expecting: 256)
        var response = body.map { answer($0, status) } ?? Response(status: status)
        if let retryAfter = problem.retryAfter {
            response.headers[.retryAfter] = String(max(1, Int((Double(retryAfter.wholeMicroseconds) / 1_000_000).rounded(.up))))
        }
        if let field = problem.field, let name = Self.errorField, field.utf8.count <= 128, field.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) {
            response.headers[name] = field
        }
        if let code = problem.code, let name = Self.errorCode { response.headers[name] = code }
        if !problem.allowed.isEmpty { response.headers[.allow] = problem.allowed.joined(separator: ", ") }
        if let byteCount = problem.fileByteCount {
            // The client learns the file's length from this field (RFC 9110 §15.5.17).
            response.headers[.contentRange] = "bytes */\(byteCount)"
            response.headers[.acceptRanges] = "bytes"
        }
        if problem.kind == .upgradeRequired {
            // The response must name the supported protocol and version (RFC 9110 §15.5.22 and RFC 6455 §4.4).
            response.headers[.upgrade] = "websocket"
            response.headers[.connection] = "Upgrade"
            response.headers[.secWebSocketVersion] = WebSocketHandshake.version
        }
        if problem.kind == .unauthenticated { response.headers[.wwwAuthenticate] = "Bearer" }
        return response
    }

    /// - Throws: the errors of the encoder, for example for a number that is not finite. `ErrorBoundary` logs such an error and answers
    ///   500. `JSONWriter.TooLong` for a page that can be shorter (`WebContext.shorteningPage`).
    func json(_ value: any Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        if let value = value as? any JSONWritable { return answer(try Self.buffer(value, expecting: 4_096), status) }
        let most = PageSize.mostJSONByteCount
        if most < .max, let value = value as? any ListResponse {
            return answer(try value.json(surface.makeEncoder(), most: most), status)
        }
        var buffer = ByteBuffer()
        try buffer.writeJSONEncodable(value, encoder: surface.makeEncoder())
        return answer(buffer, status)
    }

    /// - Parameter text: a JSON document.
    func response(json text: String) -> Response { answer(ByteBuffer(string: text), .ok) }

    /// - Parameter length: predicts the size of the route's responses.
    /// - Throws: as `json`.
    func written(_ value: some JSONSource, _ length: AnswerLength) throws -> Response {
        let buffer = try Self.buffer(value, expecting: length.expected)
        length.note(buffer.readableBytes)
        return answer(buffer, .ok)
    }

    /// Copies the bytes once, into a buffer of the right size.
    /// - Throws: `JSONWriter.TooLong` for a page that can be shorter (`WebContext.shorteningPage`).
    private static func buffer(_ value: some JSONSource, expecting byteCount: Int) throws -> ByteBuffer {
        try value.withJSON(expecting: byteCount, most: PageSize.mostJSONByteCount) { ByteBuffer(bytes: $0) }
    }

    private func answer(_ buffer: ByteBuffer, _ status: HTTPResponse.Status) -> Response {
        Response(status: status, headers: Self.fields, body: ResponseBody(byteBuffer: buffer))
    }

    private static let fields: HTTPFields = [
        .contentType: "application/json; charset=utf-8", .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
    ]
}

extension RefusedFile {
    package init(_ file: Problem.File) {
        let problem = file.problem
        self.init(
            index: file.index, name: file.name, field: problem.field, error: problem.kind.title, details: problem.message,
            code: problem.status)
    }
}

/// Remembers the length of a route's last response, as a prediction for the next one.
final class AnswerLength: Sendable {
    private let last = Atomic(4_096)

    /// The expected length in bytes, with a reserve. It is bounded, so that one long response does not make many short ones expensive.
    var expected: Int { min(last.load(ordering: .relaxed) + 512, 65_536) }

    func note(_ byteCount: Int) { last.store(byteCount, ordering: .relaxed) }
}

extension Problem.Kind {
    /// The name of the kind for people, as surface 0 renders it.
    package var title: String {
        switch self {
        case .invalid: "Bad Request"
        case .unauthenticated: "Unauthorized"
        case .forbidden: "Forbidden"
        case .notFound: "Not Found"
        case .methodNotAllowed: "Method Not Allowed"
        case .timeout: "Request Timeout"
        case .conflict: "Conflict"
        case .gone: "Gone"
        case .preconditionFailed: "Precondition Failed"
        case .tooLarge: "Payload Too Large"
        case .uriTooLong: "URI Too Long"
        case .rangeNotSatisfiable: "Range Not Satisfiable"
        case .unprocessable: "Unprocessable Entity"
        case .upgradeRequired: "Upgrade Required"
        case .tooManyRequests: "Too Many Requests"
        case .headersTooLarge: "Request Header Fields Too Large"
        case .fault: "Internal Server Error"
        case .badGateway: "Bad Gateway"
        case .unavailable: "Service Unavailable"
        case .storageFull: "Insufficient Storage"
        }
    }

    /// The name of the kind for programs, as surface 4 renders it.
    var code: String {
        // For a refused request, `replacing` and `lowercased` would take as long as the rest of its route, so this works on bytes.
        String(decoding: title.utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 == 0x20 ? UInt8(ascii: "_") : $0 }, as: UTF8.self)
    }

    /// Further codes for this status, in the surfaces that have codes. Each names one specific reason.
    var specialCodes: [String] {
        if self == .tooLarge { return [Problem.quotaExceededCode] }
        guard self == .forbidden else { return [] }
        return [Problem.signInAgainCode, Problem.wrongPasswordCode, Problem.suspendedCode, Problem.confirmEmailCode]
    }
}
