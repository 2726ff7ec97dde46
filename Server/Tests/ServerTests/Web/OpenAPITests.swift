import Crypto
import Foundation
import HTTPTypes
import KeepsakeWire
import TestKit
import Testing
import Web

@testable import FeatureTestKit
@testable import keepsake

@Suite("The OpenAPI description")
struct OpenAPITests {
    @Test("every route is described, and every described route exists")
    func complete() async throws {
        try await TestServer.run(.sqlite) { server in
            let served = Set(server.backend.makeRoutes(on: WebServer(metrics: Metrics())).served.filter { $0.method != .head }.map(\.name))
            let written = try Backend.openAPI.written().operations
            #expect(served.subtracting(written) == [], "routes that no openapi.yaml describes")
            #expect(written.subtracting(served) == [], "descriptions without a route")
        }
    }

    @Test("the description needs no credential, is cached by its ETag, and all of its references resolve within it")
    func served() async throws {
        try await TestServer.run(.sqlite) { server in
            let answer = try await server.send("GET", "/openapi.json")
            #expect(answer.status == 200)
            #expect(answer.header("Content-Type") == "application/json; charset=utf-8")
            #expect(answer.header("Cache-Control") == "public, max-age=300")
            let etag = try #require(answer.header("ETag"))
            #expect(etag == "\"" + SHA256.hash(data: answer.body).map { String(format: "%02x", $0) }.joined() + "\"")
            let again = try await server.send("GET", "/openapi.json", headers: [("If-None-Match", etag)])
            #expect(again.status == 304 && again.body.isEmpty)
            #expect(try await server.send("GET", "/openapi.json", headers: [("If-None-Match", "\"other\"")]).body == answer.body)
            let head = try await server.send("HEAD", "/openapi.json")
            #expect(head.status == 200 && head.header("Content-Length") == String(answer.body.count))

            let document = try answer.json()
            #expect(document["openapi"] as? String == "3.1.0")
            #expect((document["info"] as? [String: Any])?["version"] as? String == Keepsake.version)
            for reference in Self.strings(under: "$ref", document) {
                let place = reference.split(separator: "/").dropFirst().map(String.init)
                #expect(reference.hasPrefix("#/components/") && Self.value(at: place[...], document) != nil, "\(reference)")
            }
            let ids = Self.strings(under: "operationId", document["paths"] ?? [:])
            // Links contain operation ids too, so only the unique ids are counted.
            #expect(
                Set(ids).count
                    == (document["paths"] as? [String: [String: Any]] ?? [:]).values.flatMap(\.values).count { $0 is [String: Any] })
        }
    }

    @Test("every path parameter is described, and every error has its route's dialect")
    func parameters() async throws {
        try await TestServer.run(.sqlite) { server in
            let document = try await server.send("GET", "/openapi.json").json()
            let routes = server.backend.makeRoutes(on: WebServer(metrics: Metrics())).served
            let dialects = Dictionary(uniqueKeysWithValues: routes.map { ($0.name, Self.dialect($0)) })
            for (path, item) in document["paths"] as? [String: [String: Any]] ?? [:] {
                let braces = Set(path.split(separator: "/").filter { $0.hasPrefix("{") }.map { String($0.dropFirst().dropLast()) })
                let common = Self.names(item["parameters"], document)
                for (method, operation) in item {
                    guard let operation = operation as? [String: Any] else { continue }
                    let own = Self.names(operation["parameters"], document)
                    #expect(common.union(own).isSuperset(of: braces), "\(method) \(path)")
                    for (status, response) in operation["responses"] as? [String: [String: Any]] ?? [:] where status >= "400" {
                        guard let reference = response["$ref"] as? String else { continue }
                        // A request that is refused before routing belongs to no route. Its error has the format of coded errors.
                        let dialect = status == "431" ? "coded" : dialects["\(method.uppercased()) \(path)"]
                        #expect(reference == "#/components/responses/\(dialect ?? "none").\(status)", "\(method) \(path)")
                    }
                }
            }
        }
    }

    @Test("every member of a JSON body that is a file is described as base64")
    func filesInJSON() async throws {
        try await TestServer.run(.sqlite) { server in
            let document = try await server.send("GET", "/openapi.json").json()
            var count = 0
            for route in server.backend.makeRoutes(on: WebServer(metrics: Metrics())).served {
                guard case .jsonWithFiles(let members) = route.body else { continue }
                let place = [
                    "paths", route.path, route.method.rawValue.lowercased(), "requestBody", "content", "application/json", "schema",
                ]
                let body = Self.resolved(Self.value(at: place[...], document), document)
                let properties = try #require(body?["properties"] as? [String: Any], "\(route.name)")
                for member in members {
                    let schema = Self.resolved(properties[member], document)
                    #expect(schema?["contentEncoding"] as? String == "base64", "\(route.name) \(member)")
                    #expect(schema.map { Self.types($0).contains("string") } == true, "\(route.name) \(member)")
                    count += 1
                }
            }
            #expect(count > 0)
        }
    }

    @Test("no request's body is a choice of schemas, since many generators make no type of one")
    func bodies() async throws {
        try await TestServer.run(.sqlite) { server in
            let document = try await server.send("GET", "/openapi.json").json()
            var count = 0
            for (path, item) in document["paths"] as? [String: [String: Any]] ?? [:] {
                for (method, operation) in item {
                    let body = Self.resolved((operation as? [String: Any])?["requestBody"], document)
                    for (type, content) in body?["content"] as? [String: [String: Any]] ?? [:] {
                        let schema = Self.resolved(content["schema"], document) ?? [:]
                        #expect(schema["anyOf"] == nil && schema["oneOf"] == nil, "\(method) \(path) \(type)")
                        count += 1
                    }
                }
            }
            #expect(count > 0)
        }
    }

    private static func types(_ schema: [String: Any]) -> [String] {
        schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] } ?? []
    }

    /// The schema itself or, if it is a reference, the schema to which it refers.
    private static func resolved(_ schema: Any?, _ document: [String: Any]) -> [String: Any]? {
        let schema = schema as? [String: Any]
        guard let reference = schema?["$ref"] as? String else { return schema }
        let place = reference.split(separator: "/").dropFirst().map(String.init)
        return value(at: place[...], document) as? [String: Any]
    }

    private static func dialect(_ route: ServedRoute) -> String {
        switch route.surface {
        case .multimedia: "multimedia"
        case .coves, .chat: "message"
        case .uploads: "upload"
        case .captures, .capsules: "coded"
        }
    }

    // MARK: Reading the description

    private static func strings(under key: String, _ value: Any) -> [String] {
        switch value {
        case let object as [String: Any]:
            object.flatMap { ($0.key == key ? [$0.value as? String].compactMap { $0 } : []) + strings(under: key, $0.value) }
        case let array as [Any]: array.flatMap { strings(under: key, $0) }
        default: []
        }
    }

    private static func value(at place: ArraySlice<String>, _ value: Any?) -> Any? {
        guard let key = place.first else { return value }
        return Self.value(at: place.dropFirst(), (value as? [String: Any])?[key])
    }

    private static func names(_ parameters: Any?, _ document: [String: Any]) -> Set<String> {
        Set(
            (parameters as? [[String: Any]] ?? []).compactMap { parameter in
                let reference = (parameter["$ref"] as? String)?.split(separator: "/").dropFirst().map(String.init)
                let named = reference.map { value(at: $0[...], document) as? [String: Any] } ?? parameter
                return named?["in"] as? String == "path" ? named?["name"] as? String : nil
            })
    }
}
