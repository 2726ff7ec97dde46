import Foundation
import HTTPTypes
import KeepsakeWire

/// What is needed to send a request to an endpoint. It has no input and output types, because those may be isolated to the caller's actor.
struct Route: Sendable {
    let method: HTTPRequest.Method
    /// The path with its placeholders, which are names in braces.
    let path: String
    let surface: Surface
    let needsSignIn: Bool
    /// Whether the input is sent as JSON instead of in the query.
    let hasJSON: Bool

    init<Input, Output>(_ endpoint: Endpoint<Input, Output>) {
        method = endpoint.method
        path = endpoint.path
        surface = endpoint.surface
        needsSignIn =
            switch endpoint.access {
            case .anyone: false
            case .signedIn, .signedInOrAnonymous, .signedInOrLink: true
            }
        hasJSON =
            switch endpoint.body {
            case .json, .jsonWithFiles: true
            case .none, .multipart: false
            }
    }

    init<Input>(_ socket: SocketEndpoint<Input>) {
        method = .get
        path = socket.path
        surface = socket.surface
        needsSignIn = true
        hasJSON = false
    }
}

/// The path, query and JSON body that a route and its input make.
struct RequestParts: Sendable {
    /// The path with the query.
    var path: String
    var json: Data?

    /// - Throws: `.invalidRequest` when a placeholder of the path has no value, or a value cannot be written in a path, a query or JSON.
    init(_ route: Route, _ input: some Encodable) throws {
        let encoded: Data
        do {
            encoded = try route.surface.makeEncoder().encode(input)
        } catch EncodingError.invalidValue(_, let context) {
            // For example, the duration of a recording whose length the player does not know is NaN.
            throw KeepsakeError(
                .invalidRequest, "The input of \(route.path) has a value that JSON cannot hold.",
                field: context.codingPath.last?.stringValue)
        }
        guard case .object(var fields) = try JSONDecoder().decode(JSONValue.self, from: encoded) else {
            throw KeepsakeError(.invalidRequest, "The input of \(route.path) is not an object.")
        }
        var path = ""
        for (index, segment) in route.path.split(separator: "/", omittingEmptySubsequences: false).enumerated() {
            if index > 0 { path += "/" }
            guard segment.hasPrefix("{"), segment.hasSuffix("}") else {
                path += segment
                continue
            }
            let name = String(segment.dropFirst().dropLast())
            guard let text = fields.removeValue(forKey: name)?.text, !text.isEmpty, text != ".", text != ".." else {
                throw KeepsakeError(.invalidRequest, "\(name) is missing.", field: name)
            }
            path += Self.escape(text)
        }
        if route.hasJSON {
            let encoder = JSONEncoder()
            // The keys are sorted, so that the same input yields the same bytes in each attempt.
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            json = try encoder.encode(JSONValue.object(fields))
        } else {
            let items = try fields.sorted { $0.key < $1.key }.compactMap { name, value -> String? in
                if case .null = value { return nil }
                guard let text = value.text else {
                    throw KeepsakeError(.invalidRequest, "\(name) cannot be sent in a query.", field: name)
                }
                return "\(Self.escape(name))=\(Self.escape(text))"
            }
            if !items.isEmpty { path += "?" + items.joined(separator: "&") }
        }
        self.path = path
    }

    /// RFC 3986 §2.3: everything but unreserved characters is percent-encoded.
    private static func escape(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? text
    }

    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

extension JSONValue {
    /// The value as text for a path or a query; `nil` for an array, an object and `null`.
    fileprivate var text: String? {
        switch self {
        case .string(let text): text
        case .integer(let value): String(value)
        case .number(let value): String(value)
        case .bool(let value): value ? "true" : "false"
        case .null, .array, .object: nil
        }
    }
}
