import Core
package import Foundation
import HTTPTypes
import KeepsakeWire
import Yams

/// The description of the API (OpenAPI 3.1). It merges the YAML that each feature has beside its handlers with what the routes themselves
/// know: who may call, the `Idempotency-Key` header, `HEAD` beside `GET`, and the format of problems.
package struct OpenAPIDocument: Sendable {
    private var root: [String: JSONValue] = [:]

    /// Thrown for descriptions that cannot be merged into one document.
    package struct Malformed: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameters:
    ///   - fragments: YAML documents; together they describe each path, schema and operation once.
    ///   - routes: the served routes. An operation without a route stays as written.
    /// - Throws: `Malformed`.
    package init(_ fragments: [[UInt8]], version: String, routes: [ServedRoute]) throws {
        for fragment in fragments { root = try Self.merge(root, try Self.parse(fragment), at: "") }
        root["openapi"] = .string("3.1.0")
        root.update(at: ["info", "version"], .string(version))
        for route in routes { complete(route) }
    }

    /// The document as JSON. The same document always gives the same bytes, because members are in the order of their names. The one
    /// exception: among the types of a request, forms come first, because many generators read only the first type, and only a form can
    /// carry files.
    package func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        var json = Data()
        try Self.write(.object(root), to: &json, encoder)
        return json
    }

    private static func write(_ value: JSONValue, to json: inout Data, _ encoder: JSONEncoder) throws {
        switch value {
        case .object(let members):
            json.append(UInt8(ascii: "{"))
            for (index, (key, member)) in members.sorted(by: { isBefore($0.key, $1.key) }).enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                json.append(try encoder.encode(key))
                json.append(UInt8(ascii: ":"))
                try write(member, to: &json, encoder)
            }
            json.append(UInt8(ascii: "}"))
        case .array(let values):
            json.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { json.append(UInt8(ascii: ",")) }
                try write(value, to: &json, encoder)
            }
            json.append(UInt8(ascii: "]"))
        case .null, .bool, .integer, .number, .string: json.append(try encoder.encode(value))
        }
    }

    private static func isBefore(_ a: String, _ b: String) -> Bool {
        let form = "multipart/form-data"
        return a == form || b == form ? a == form && b != form : a < b
    }

    /// Every operation that the document describes, for example `GET /events`.
    package var operations: Set<String> {
        var operations: Set<String> = []
        for (path, item) in root["paths"]?.object ?? [:] {
            for method in item.object.keys where Self.methods.contains(method) { operations.insert("\(method.uppercased()) \(path)") }
        }
        return operations
    }

    // MARK: Reading

    private static let methods: Set = ["get", "head", "post", "put", "patch", "delete"]

    private static func parse(_ fragment: [UInt8]) throws -> [String: JSONValue] {
        do {
            let value = try Yams.load(yaml: String(decoding: fragment, as: UTF8.self)).map(JSONValue.init(yaml:))
            guard case .object(let object)? = value else { throw Malformed(description: "a fragment is not a mapping") }
            return object
        } catch let error as YamlError {
            throw Malformed(description: "\(error)")
        }
    }

    private static func merge(_ a: [String: JSONValue], _ b: [String: JSONValue], at place: String) throws -> [String: JSONValue] {
        var merged = a
        for (key, new) in b {
            switch (a[key], new) {
            case (nil, _): merged[key] = new
            case (.object(let old), .object(let new)): merged[key] = .object(try merge(old, new, at: "\(place)\(key) → "))
            case (.array(let old), .array(let new)) where place.isEmpty: merged[key] = .array(old + new)
            default: throw Malformed(description: "two features describe \(place)\(key)")
            }
        }
        return merged
    }

    // MARK: Completing

    private mutating func complete(_ route: ServedRoute) {
        let paths = root["paths"]?.object ?? [:]
        guard case .object(var item)? = paths[route.path] else { return }
        let method = route.method.rawValue.lowercased()
        if route.method == .head, let get = item["get"]?.object, item["head"] == nil {
            item["head"] = .object(Self.withoutContent(get))
        } else if let operation = item[method]?.object {
            let problems = Self.problems(operation, route).map { (status: $0, made: ProblemResponse.make($0, route.surface)) }
            for (_, made) in problems { root.update(at: ["components", "responses", made.name], made.response) }
            item[method] = .object(
                Self.completed(operation, route, problems.map { (String($0.status), .reference("responses", $0.made.name)) }))
        }
        root.update(at: ["paths", route.path], .object(item))
    }

    private static func completed(
        _ operation: [String: JSONValue], _ route: ServedRoute, _ problems: [(status: String, response: JSONValue)]
    ) -> [String: JSONValue] {
        var operation = operation
        var responses = (operation["responses"]?.object ?? [:]).mapValues { response -> JSONValue in
            var response = response.object
            response.update(at: ["headers", "X-Request-Id"], .reference("headers", "X-Request-Id"))
            return .object(response)
        }
        responses.merge(problems) { written, _ in written }
        operation["problems"] = nil
        operation["responses"] = .object(responses)
        if operation["security"] == nil { operation["security"] = route.access.schemes }
        if route.creates {
            var parameters: [JSONValue] = []
            if case .array(let written)? = operation["parameters"] { parameters = written }
            operation["parameters"] = .array(parameters + [.reference("parameters", "Idempotency-Key")])
            operation.update(at: ["responses", "200", "headers", "Idempotency-Replayed"], .reference("headers", "Idempotency-Replayed"))
        }
        return operation
    }

    /// The problems that an operation may return: those of its route and those that the feature lists under `problems`, without those that
    /// the feature describes itself.
    private static func problems(_ operation: [String: JSONValue], _ route: ServedRoute) -> Set<Int> {
        var problems = route.problems
        if case .array(let listed)? = operation["problems"] {
            problems.formUnion(listed.compactMap { if case .integer(let status) = $0 { Int(status) } else { nil } })
        }
        return problems.filter { operation["responses"]?.object[String($0)] == nil }
    }

    /// RFC 9110 §9.3.2: HEAD has the same header fields as GET, and no content.
    private static func withoutContent(_ get: [String: JSONValue]) -> [String: JSONValue] {
        var head = get
        if case .string(let id)? = get["operationId"] { head["operationId"] = .string(id + "Head") }
        head["responses"] = .object(
            (get["responses"]?.object ?? [:]).mapValues { response in
                guard case .object(var response) = response, response["$ref"] == nil else {
                    return .object(["description": .string("As `GET`, without content.")])
                }
                response["content"] = nil
                response["links"] = nil
                return .object(response)
            })
        return head
    }
}

extension ServedRoute.Access {
    /// The route's schemes as OpenAPI's `security`. Any one of them is sufficient.
    var schemes: JSONValue {
        let names =
            switch self {
            case .anyone: [] as [String]
            case .signedIn: ["bearer", "cookie"]
            case .signedInOrLink: ["bearer", "cookie", "link"]
            case .signedInBySocket: ["bearer", "access_token", "cookie"]
            }
        return .array(names.map { .object([$0: .array([])]) })
    }
}
