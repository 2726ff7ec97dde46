import Foundation
import HTTPTypes
import KeepsakeWire

/// The path, query and JSON body that an endpoint and its input make.
struct RequestParts {
    /// With the query.
    var path: String
    var json: Data?

    /// - Throws: `.invalidRequest` when a key of the path has no value, or a value has no form for its place.
    init<Input, Output>(_ endpoint: Endpoint<Input, Output>, _ input: Input) throws {
        let encoded = try endpoint.surface.makeEncoder().encode(input)
        guard case .object(var fields) = try JSONDecoder().decode(JSONValue.self, from: encoded) else {
            throw KeepsakeError(.invalidRequest, "The input of \(endpoint.path) is not an object.")
        }
        var path = ""
        for (index, segment) in endpoint.path.split(separator: "/", omittingEmptySubsequences: false).enumerated() {
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
        switch endpoint.body {
        case .json, .jsonWithFiles:
            let encoder = JSONEncoder()
            // The same input yields the same bytes in each attempt.
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            json = try encoder.encode(JSONValue.object(fields))
        case .none, .multipart:
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
    /// The value in a path or a query; `nil` for an array, an object and `null`.
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
