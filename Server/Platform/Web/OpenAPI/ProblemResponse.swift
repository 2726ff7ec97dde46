import Core
import KeepsakeWire

/// Describes a problem in the document, in the format of the route's dialect.
enum ProblemResponse {
    /// - Returns: the response, and its name among the document's components.
    static func make(_ status: Int, _ surface: Surface) -> (name: String, response: JSONValue) {
        let kind = Problem.Kind(rawValue: status) ?? .fault
        // The server refuses a head that is too large before it knows the route.
        let surface = kind == .headersTooLarge ? .capsules : surface
        var headers: [String: JSONValue] = [:]
        // A request that is refused before it is parsed or admitted has no id.
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
        let (word, schema) = body(kind, surface)
        return (
            "\(word).\(status)",
            .object([
                "description": .string(kind.explanation), "headers": .object(headers),
                "content": .object(["application/json": .object(["schema": .object(schema)])]),
            ])
        )
    }

    private static func body(_ kind: Problem.Kind, _ surface: Surface) -> (word: String, schema: [String: JSONValue]) {
        func text(_ value: String) -> JSONValue { .object(["type": .string("string"), "const": .string(value)]) }
        let sentence = JSONValue.object(["type": .string("string"), "minLength": .integer(1)])
        switch surface {
        case .multimedia:
            let code = JSONValue.object(["type": .string("integer"), "const": .integer(Int64(kind.rawValue))])
            return ("multimedia", exactly(["error": text(kind.title), "details": sentence, "code": code]))
        case .coves, .chat: return ("message", exactly(["message": sentence]))
        case .uploads:
            let details = JSONValue.object(["type": .string("string"), "pattern": .string("^upload failed: .")])
            return ("upload", exactly(["status": text("error"), "error": details]))
        case .captures, .capsules: return ("coded", exactly(["error": code(kind), "message": sentence]))
        }
    }

    private static func code(_ kind: Problem.Kind) -> JSONValue {
        guard !kind.specialCodes.isEmpty else { return .object(["type": .string("string"), "const": .string(kind.code)]) }
        return .object(["type": .string("string"), "enum": .array(([kind.code] + kind.specialCodes).map { .string($0) })])
    }

    private static func exactly(_ properties: [String: JSONValue]) -> [String: JSONValue] {
        [
            "type": .string("object"), "properties": .object(properties), "additionalProperties": .bool(false),
            "required": .array(properties.keys.sorted().map { .string($0) }),
        ]
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
