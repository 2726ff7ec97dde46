import Core
import KeepsakeWire

/// Describes a problem in the document, in the format of the route's dialect. All problems of a dialect share one schema, which
/// `openapi.yaml` has, so that a generated client has one error type for each dialect. What depends on the status is in the text and in the
/// example.
enum ProblemResponse {
    /// - Returns: the response, and its name among the document's components.
    static func make(_ status: Int, _ surface: Surface) -> (name: String, response: JSONValue) {
        let kind = Problem.Kind(rawValue: status) ?? .fault
        // The server refuses a head that is too large before it knows the route.
        let surface = kind == .headersTooLarge ? .capsules : surface
        var headers: [String: JSONValue] = [:]
        // A request that is refused before it is parsed or admitted has no id, so these responses may lack the field.
        if ![.invalid, .timeout, .headersTooLarge, .unavailable].contains(kind) {
            headers["X-Request-Id"] = .reference("headers", "X-Request-Id")
        }
        switch kind {
        case .unauthenticated: headers["WWW-Authenticate"] = .reference("headers", "WWW-Authenticate")
        case .upgradeRequired:
            headers["Upgrade"] = .reference("headers", "Upgrade")
            headers["Sec-WebSocket-Version"] = .reference("headers", "Sec-WebSocket-Version")
        case .tooManyRequests: headers["Retry-After"] = .reference("headers", "Retry-After")
        case .conflict, .unavailable: headers["Retry-After"] = .reference("headers", "Retry-After-Sometimes")
        default: break
        }
        let (word, schema, example) = body(kind, surface)
        let codes = ([kind.code] + kind.specialCodes).map { "`\($0)`" }.joined(separator: ", ")
        let text = word == "coded" ? "\(kind.explanation) `error` is \(codes)." : kind.explanation
        return (
            "\(word).\(status)",
            .object([
                "description": .string(text), "headers": .object(headers),
                "content": .object([
                    "application/json": .object(["schema": .reference("schemas", schema), "example": .object(example)])
                ]),
            ])
        )
    }

    private static func body(_ kind: Problem.Kind, _ surface: Surface) -> (word: String, schema: String, example: [String: JSONValue]) {
        let sentence = "A sentence for people."
        switch surface {
        case .multimedia:
            let example: [String: JSONValue] = [
                "error": .string(kind.title), "details": .string(sentence), "code": .integer(Int64(kind.rawValue)),
            ]
            return ("multimedia", "MultimediaProblem", example)
        case .coves, .chat: return ("message", "MessageProblem", ["message": .string(sentence)])
        case .uploads:
            return ("upload", "UploadProblem", ["status": .string("error"), "error": .string("upload failed: " + sentence)])
        case .captures, .capsules:
            return ("coded", "CodedProblem", ["error": .string(kind.code), "message": .string(sentence)])
        }
    }
}

extension Problem.Kind {
    fileprivate var explanation: String {
        switch self {
        case .invalid: "Something in the request is missing, malformed or out of its range; the text names it."
        case .unauthenticated: "No credential, or one that is not valid any more."
        case .forbidden: "The credential or the link does not allow this request."
        case .notFound: "The resource does not exist, or it belongs to another user."
        case .methodNotAllowed: "The path does not support this method."
        case .timeout: "The request arrived too slowly."
        case .conflict: "It exists already, or a request with the same `Idempotency-Key` is in progress."
        case .gone: "Everything that the `Idempotency-Key` created has been deleted since; nothing was created."
        case .preconditionFailed: "A precondition of the request does not hold."
        case .tooLarge: "The body, a file of it, or what the account would then keep is too large."
        case .uriTooLong: "The address is too long."
        case .rangeNotSatisfiable: "No byte of the file lies in the range."
        case .unprocessable: "The type of the content is not accepted, or the `Idempotency-Key` was used for another request."
        case .upgradeRequired: "The path supports only WebSocket, version 13."
        case .tooManyRequests: "Too many requests in a short time."
        case .headersTooLarge: "The head of the request is too large."
        case .fault: "A fault of the server; `X-Request-Id` helps to find it in the log."
        case .badGateway: "A service outside the installation refused the request or failed."
        case .unavailable: "The database, the scanner or the server itself is unavailable; nothing was stored unless the text says so."
        case .storageFull: "The server's storage is full; nothing was stored."
        }
    }
}
