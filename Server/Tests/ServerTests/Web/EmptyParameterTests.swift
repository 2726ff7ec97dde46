import Foundation
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Empty parameters")
struct EmptyParameterTests {
    /// A GET route with query parameters.
    private struct Reading {
        let path: String
        var required: [String] = []
        var optional: [String] = []
    }

    /// The GET routes in the API description that have query parameters. This leaves out WebSockets, streams, and routes whose path has
    /// other parameters than the ids of the user and the conversation.
    private static func readings(_ server: TestServer) async throws -> [Reading] {
        let document = try await server.send("GET", "/openapi.json").json()
        let paths = try #require(document["paths"] as? [String: [String: Any]])
        let shared = (document["components"] as? [String: Any])?["parameters"] as? [String: [String: Any]] ?? [:]
        return paths.sorted { $0.key < $1.key }.compactMap { path, item -> Reading? in
            let rest = path.replacing("{userId}", with: "").replacing("{conversationId}", with: "")
            guard let get = item["get"] as? [String: Any], !rest.contains("{"), !path.hasPrefix("/ws/"), !path.contains("/stream/") else {
                return nil
            }
            var reading = Reading(path: path)
            let listed = (item["parameters"] as? [[String: Any]] ?? []) + (get["parameters"] as? [[String: Any]] ?? [])
            for entry in listed {
                let reference = (entry["$ref"] as? String)?.split(separator: "/").last.map(String.init)
                let parameter = reference.flatMap { shared[$0] } ?? entry
                guard parameter["in"] as? String == "query", let name = parameter["name"] as? String else { continue }
                if parameter["required"] as? Bool == true { reading.required.append(name) } else { reading.optional.append(name) }
            }
            return reading.required.isEmpty && reading.optional.isEmpty ? nil : reading
        }
    }

    /// Values of path parameters and of required query parameters.
    private static func samples(_ server: TestServer, _ person: TestServer.Person) async throws -> [String: String] {
        func made(_ path: String, _ body: [String: Any], _ member: String, _ id: String) async throws -> String {
            let answer = try await server.sendJSON("POST", path, body, as: person)
            return try #require((try answer.json()[member] as? [String: Any])?[id] as? String, "\(path): \(answer.text)")
        }
        let cove = try await made("/create-cove", ["name": "Swimmers", "location": "Lake Garda"], "cove", "id")
        let event = try await made(
            "/create-event", ["coveId": cove, "name": "Swim", "date": "2030-05-01T08:00:00Z", "location": "The pier"], "event", "id")
        let conversation = try await made(
            "/api/chat/agents/chat/local", ["text": "lake", "messageId": "message-1"], "conversation", "conversationId")
        return [
            "userId": person.id, "conversationId": conversation, "coveId": cove, "eventId": event, "q": "lake", "date": "2026-01-01",
            "token": "AAAA",
        ]
    }

    @Test("in every list an empty parameter counts as absent, and an empty required one is refused by its name")
    func lists() async throws {
        try await TestServer.run(.sqlite) { server in
            // An administrator may read all lists.
            let ada = try await server.administrator()
            let samples = try await Self.samples(server, ada)
            let readings = try await Self.readings(server)
            #expect(readings.count > 30)
            for reading in readings {
                var path = reading.path
                for name in ["userId", "conversationId"] { path = path.replacing("{\(name)}", with: samples[name] ?? "") }
                var required: [String] = []
                for name in reading.required {
                    let sample = try #require(samples[name], "\(reading.path) needs a sample of \(name)")
                    required.append("\(name)=\(sample)")
                    let answer = try await server.send("GET", "\(path)?\(name)=", as: ada)
                    #expect(answer.status == 400 && answer.header("Error-Field") == name, "\(path) \(name): \(answer.text)")
                }
                // Leave out `wait`, which would make the request a long poll.
                let optional = reading.optional.filter { $0 != "wait" }
                guard !optional.isEmpty else { continue }
                let fixed = required + (optional.count < reading.optional.count ? ["wait=0"] : [])
                let plain = try await server.send("GET", path + "?" + fixed.joined(separator: "&"), as: ada)
                let empty = try await server.send("GET", path + "?" + (fixed + optional.map { "\($0)=" }).joined(separator: "&"), as: ada)
                #expect(plain.status == 200, "\(path): \(plain.text)")
                #expect(empty.status == 200 && empty.body == plain.body, "\(path) \(optional): \(empty.text)")
            }
        }
    }

    @Test("a file without sizes is the original, and a deletion does not take an empty parameter for an absent one")
    func others() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let photo = try Fixture.data("photo.jpg")
            let uploaded = try await server.upload(.file("a.jpg", photo), as: ada)
            let files = try #require(try uploaded.json()["files"] as? [[String: Any]])
            let link = try #require((files.first?["data"] as? [String: Any])?["appUrl"] as? String)
            #expect(try await server.send("GET", link + "?w=&h=&fit=&format=&q=&play=", as: ada).body == photo)
            for (path, field) in [("/captures?from=&to=", "from"), ("/auth/sessions?keep_current=", "keep_current")] {
                let answer = try await server.send("DELETE", path, as: ada)
                #expect(answer.status == 400 && answer.header("Error-Field") == field, "\(path): \(answer.text)")
            }
            #expect(try await server.send("GET", "/user/me", as: ada).status == 200)
        }
    }
}
