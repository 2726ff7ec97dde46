import Foundation
import HTTPTypes
import KeepsakeKit
import KeepsakeWire

/// An error response. The surface of the route determines its JSON format.
struct FakeProblem: Error {
    var status: Int
    var message: String
    var field: String?
    /// The error's code in the body; `nil` for the default code of the status.
    var code: String?
    /// The errors of the files of an upload, if it had several files and the server refused all of them.
    var refused: [RefusedFile]?

    init(_ status: Int, _ message: String, field: String? = nil, code: String? = nil, refused: [RefusedFile]? = nil) {
        self.status = status
        self.message = message
        self.field = field
        self.code = code
        self.refused = refused
    }

    static func notFound(_ what: String) -> FakeProblem { FakeProblem(404, "\(what) does not exist.") }
    static func invalid(_ message: String, _ field: String) -> FakeProblem { FakeProblem(400, message, field: field) }

    func response(_ surface: Surface, _ now: Date) -> TransportResponse {
        let title = StatusTitle.of(status) ?? "Status \(status)"
        let body: any Encodable =
            switch surface {
            case .multimedia: MultimediaErrorBody(error: title, details: message, code: status, refused: refused)
            case .coves, .chat: MessageErrorBody(message: message)
            case .uploads: UploadErrorBody(details: message)
            case .captures, .capsules: CodedErrorBody(error: code ?? StatusTitle.code(title), message: message)
            }
        var head = Self.head(status, now)
        if let field, let name = HTTPField.Name(ErrorField.headerName) { head.headerFields[name] = field }
        if let code, let name = HTTPField.Name(ErrorField.codeHeaderName) { head.headerFields[name] = code }
        return TransportResponse(head: head, body: (try? surface.makeEncoder().encode(body)) ?? Data())
    }

    static func head(_ status: Int, _ now: Date, type: String = "application/json; charset=utf-8") -> HTTPResponse {
        var head = HTTPResponse(status: .init(code: status), headerFields: [.contentType: type, .date: date(now)])
        if let name = HTTPField.Name("X-Request-ID") { head.headerFields[name] = UUID().uuidString }
        return head
    }

    /// Formats a date for a header field (RFC 9110 §5.6.7).
    private static func date(_ now: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: now)
    }
}
