import Database
import Foundation
import HTTPTypes
import KeepsakeWire
import TestKit
import Testing
import Web

@testable import FeatureTestKit
@testable import keepsake

/// Tests every route that the server has, so that a new route is tested without being added to a list.
@Suite("Requests to other people's data")
struct StrangerTests {
    private static let badTokens = ["Bearer x", "Basic YTpi", "Bearer", ""]

    @Test(
        "every route answers a missing or bad token with 401, and a token for another user's path with 403",
        arguments: StoragePair.allCases)
    func credentials(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person("ada")
            let eve = try await server.person("eve")
            let resources = try await OwnedResources(of: ada, server)
            var walked = 0
            for route in Self.routes(server) {
                // A WebSocket route checks the handshake first. SocketAccessTests tests its credentials.
                guard route.access == .signedIn || route.access == .signedInOrLink else { continue }
                walked += 1
                let (headers, body) = try Self.body(of: route)
                // The server reads no rows before it accepts a token, so one pair of stores is enough to test every id with every bad
                // token.
                let ids = pair == .embedded ? resources.ids(for: route) : [resources.ids(for: route)[0]]
                for (number, id) in ids.enumerated() {
                    let path = Self.path(route, user: ada.id, id: id)
                    let name = "\(route.method.rawValue) \(path)"
                    #expect(try await server.send(route.method.rawValue, path, headers: headers, body: body).status == 401, "\(name)")
                    for bad in number > 0 ? [] : (pair == .embedded ? Self.badTokens : []) + ["Bearer \(eve.token)x"] {
                        let answer = try await server.send(
                            route.method.rawValue, path, headers: headers + [("Authorization", bad)], body: body)
                        #expect(answer.status == 401, "\(name) \(bad)")
                        #expect(answer.header("WWW-Authenticate") == "Bearer", "\(name)")
                    }
                    guard route.path.contains("{userId}") else { continue }
                    let answer = try await server.send(route.method.rawValue, path, as: eve, headers: headers, body: body)
                    #expect(answer.status == 403, "\(name)")
                }
            }
            #expect(walked > 40, "the walk covers the routes")
            try await resources.expectUnchanged()
        }
    }

    @Test("under their own path, callers can neither read nor change another user's data", arguments: StoragePair.allCases)
    func foreignIDs(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person("ada")
            let eve = try await server.person("eve")
            let resources = try await OwnedResources(of: ada, server)
            var walked = 0
            for route in Self.routes(server) where Self.takesID(route) && route.access != .signedInBySocket {
                // Clients choose the ids of their own uploads, so such an id never refers to another user's row.
                if route.surface == .uploads { continue }
                walked += 1
                let (headers, body) = try Self.body(of: route)
                for id in resources.ids(for: route) {
                    let path = Self.path(route, user: eve.id, id: id)
                    let answer = try await server.send(route.method.rawValue, path, as: eve, headers: headers, body: body)
                    // Only administrators may learn what exists at these paths.
                    if route.path.hasPrefix("/admin/") {
                        #expect(answer.status == 403, "\(route.method.rawValue) \(path)")
                        continue
                    }
                    // The server may refuse a body that does not fit the route before it reads the row.
                    let allowed = body == nil ? [404] : [400, 403, 404, 405, 413, 415, 422]
                    #expect(allowed.contains(answer.status), "\(route.method.rawValue) \(path) \(answer.status)")
                    #expect(!answer.text.contains("canary"), "\(route.method.rawValue) \(path)")
                }
            }
            #expect(walked > 15, "the walk covers the routes")
            try await resources.expectUnchanged()
        }
    }

    // MARK: Routes

    private static func routes(_ server: TestServer) -> [ServedRoute] {
        server.backend.makeRoutes(on: WebServer(metrics: Metrics())).served
    }

    fileprivate static func takesID(_ route: ServedRoute) -> Bool { route.path.replacing("{userId}", with: "").contains("{") }

    private static func path(_ route: ServedRoute, user: String, id: String) -> String {
        route.path.replacing("{userId}", with: user).replacing(/\{[A-Za-z_]+\}/, with: id)
    }

    /// A body so small that the client has sent it before the server refuses it.
    private static func body(of route: ServedRoute) throws -> ([(String, String)], Data?) {
        switch route.body {
        case .none where route.method == .put: return ([("Content-Type", "audio/wav")], Data("RIFF".utf8))
        case .none: return ([], nil)
        case .json: return ([("Content-Type", "application/json")], Data(#"{"title":"mine","note":"mine","status":"processing"}"#.utf8))
        case .jsonWithFiles(let members):
            let picture = try Fixture.data("palette.png").base64EncodedString()
            return ([("Content-Type", "application/json")], Data(#"{"title":"mine","\#(members.min() ?? "")":"\#(picture)"}"#.utf8))
        case .multipart:
            let form = MultipartBody.file("a.png", try Fixture.data("palette.png"))
            return ([("Content-Type", form.contentType)], form.data)
        }
    }
}

/// One resource of each kind that an account can have.
private struct OwnedResources {
    private let owner: TestServer.Person
    private let server: TestServer
    private let ids: [String]
    /// The pages that show the owner's resources, and the content of each.
    private let pages: [String: String]

    init(of owner: TestServer.Person, _ server: TestServer) async throws {
        self.owner = owner
        self.server = server
        let own = "/api/users/user/\(owner.id)"
        let photo = MultipartBody.file("canary.jpg", try Fixture.data("photo.jpg"))
        let file = try await server.upload(photo, as: owner).decode(UploadResponse.self).files[0].data.fileId
        var ids = [file]
        var paths = ["\(own)/multimedia/\(file)"]
        for (kind, fields) in [
            ("moods", [("mood", "calm"), ("note", "canary")]), ("memories", [("title", "canary")]),
            ("events", [("title", "canary"), ("date", "2026-05-01T10:00:00Z")]),
        ] {
            var form = MultipartBody()
            for (name, value) in fields { form.add(name, value) }
            form.close()
            let answer = try await server.upload(form, to: "\(own)/\(kind)/swift", as: owner)
            #expect(answer.status == 200, "\(kind) \(answer.text)")
            let list = try await server.send("GET", "\(own)/\(kind)", as: owner).text
            let id = try #require(list.firstMatch(of: /"(?:id|_id|[a-z]+Id)":"([0-9a-f-]{36})"/)?.output.1)
            ids.append(String(id))
            paths.append("\(own)/\(kind)/\(id)")
        }
        let capsule = try await server.makeCapsule(10_000, as: owner)
        ids.append(capsule.capsule.id)
        paths.append("/v0/capsules/\(capsule.capsule.id)")
        let capture = "canary-capture"
        try await server.backend.database.write { tx in
            try tx.run(
                """
                INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, transcription, version, created_at, row_bytes)
                VALUES (\(owner.id), \(capture), 0, 'UTC', '1970-01-01', 0, 0, 'processed', 'canary', 1, 0, 1)
                """)
            try tx.run(
                """
                INSERT INTO contact (id, owner, name, first_seen, last_seen, mention_count, by_user, row_bytes)
                VALUES ('contact-1', \(owner.id), 'canary', 0, 0, 0, 1, 1)
                """)
        }
        ids += [capture, "contact-1"]
        paths += ["/captures/\(capture)", "/contacts/known"]
        let words = MultipartBody.file("canary.txt", Data("canary".utf8))
        let chatted = try await server.upload(words, to: "/api/chat/files/upload", as: owner).decode(ChatFileObject.self)
        // These are the file's id and the last part of its path.
        ids += [chatted.fileId, "\(chatted.fileId).txt"]
        let sent = try await server.sendJSON("POST", "/api/chat/agents/chat/google", ["text": "canary"], as: owner).decode(SentMessage.self)
        ids += [sent.conversation.conversationId, sent.responseMessage.messageId]
        paths.append("/api/chat/messages/\(sent.conversation.conversationId)")
        let sessions = try await server.send("GET", "/auth/sessions", as: owner).text
        ids += sessions.matches(of: /"id":"([^"]+)"/).map { String($0.output.1) }
        var pages: [String: String] = [:]
        for path in paths {
            let answer = try await server.send("GET", path, as: owner)
            #expect(answer.status == 200, "\(path)")
            pages[path] = answer.text
        }
        self.ids = ids
        self.pages = pages
    }

    /// The members of a chat's response that the test needs.
    private struct SentMessage: Decodable {
        struct Conversation: Decodable { let conversationId: String }
        struct Message: Decodable { let messageId: String }
        let conversation: Conversation
        let responseMessage: Message
    }

    /// All ids, if the route takes an id; otherwise one empty id.
    func ids(for route: ServedRoute) -> [String] { StrangerTests.takesID(route) ? ids : [""] }

    func expectUnchanged() async throws {
        for (path, text) in pages {
            let answer = try await server.send("GET", path, as: owner)
            // The order of an object's keys is not defined.
            let (now, before) = (
                try JSONDecoder().decode(JSONValue.self, from: answer.body), try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
            )
            #expect(answer.status == 200 && now == before, "\(path)")
        }
        #expect(try await server.send("GET", "/auth/sessions", as: owner).status == 200)
        #expect(try await server.storedFileCount() == 2)
    }
}
