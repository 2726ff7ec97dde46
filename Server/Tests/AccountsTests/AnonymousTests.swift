import Accounts
import Core
import Database
import Foundation
import KeepsakeWire
import Logging
import NIOCore
import ServiceLifecycle
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Web
@testable import keepsake

/// `--allow-anonymous`: the `{userId}` in the path names the caller.
@Suite("Callers without a credential", .blocksThreads)
struct AnonymousTests {
    private static func allowed(_ settings: inout Settings) { settings.allowsAnonymous = true }

    private func path(_ user: String, _ rest: String = "multimedia") -> String { "/api/users/user/\(user)/\(rest)" }

    private func upload(
        _ server: TestServer, _ user: String, as person: TestServer.Person? = nil, headers: [(String, String)] = []
    ) async throws -> TestServer.Answer {
        let body = MultipartBody.file("a.jpg", try Fixture.data("photo.jpg"))
        return try await server.send(
            "POST", path(user, "multimedia/swift"), as: person, headers: headers + [("Content-Type", body.contentType)], body: body.data)
    }

    private func accounts(_ server: TestServer) async throws -> [String] {
        try await server.backend.database.read { tx in try tx.rows("SELECT id FROM account ORDER BY id").map { try $0.get("id") } }
    }

    @Test(arguments: StoragePair.allCases)
    func `are refused unless the server was told otherwise, and leave nothing`(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let refused = try await upload(server, "anna")
            #expect(refused.status == 401)
            #expect(try await server.send("GET", path("anna")).status == 401)
            #expect(try await accounts(server) == [])
            #expect(try await server.storedFileCount() == 0)
        }
    }

    @Test(arguments: StoragePair.allCases)
    func `are whoever stands in the path, from the first sight on, and see nobody else's things`(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.allowed) { server in
            let first = try await upload(server, "user_123.A-b")
            #expect(first.status == 200, "\(first.text)")
            let file = try first.decode(UploadResponse.self).files[0].data
            #expect(try await accounts(server) == ["user_123.A-b"])
            let list = try await server.send("GET", path("user_123.A-b")).decode(MediaListResponse.self)
            #expect(list.files.map(\.fileId) == [file.fileId])
            // The signed link works as usual, and so does the address without a signature.
            #expect(try await server.send("GET", file.url).status == 200)
            #expect(try await server.send("GET", file.appUrl).status == 200)
            #expect(try await server.send("GET", path("eve")).decode(MediaListResponse.self).files.isEmpty)
            #expect(try await server.send("GET", path("eve", "multimedia/\(file.fileId)")).status == 404)
            #expect(try await server.send("DELETE", path("user_123.A-b", "multimedia/\(file.fileId)")).status == 200)
            #expect(try await accounts(server) == ["eve", "user_123.A-b"])
        }
    }

    @Test(arguments: StoragePair.allCases)
    func `an account that is there is theirs as well, but no administrator's rights`(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.allowed) { server in
            let ada = try await server.person()
            let root = try await server.backend.accounts.issueToken(email: "root@example.org", isAdmin: true)
            #expect(try await upload(server, ada.id).status == 200)
            #expect(try await server.send("GET", path(ada.id), as: ada).decode(MediaListResponse.self).files.count == 1)
            #expect(try await server.backend.accounts.viewer(anonymous: root.userID).isAdmin == false)
            #expect(try await accounts(server).count == 2)
        }
    }

    @Test(arguments: StoragePair.allCases)
    func `a credential that is sent counts as ever, and what has no user in its path stays closed`(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.allowed) { server in
            let ada = try await server.person()
            #expect(try await upload(server, ada.id, as: ada).status == 200)
            #expect(try await upload(server, "eve", as: ada).status == 403)
            for bad in ["Bearer x", "Bearer \(ada.token)x", "Basic YTpi", ""] {
                #expect(try await upload(server, ada.id, headers: [("Authorization", bad)]).status == 401, "\(bad)")
            }
            let cookie = "keepsake=" + String(repeating: "A", count: 43)
            #expect(try await server.send("GET", path(ada.id), headers: [("Cookie", cookie)]).status == 401)
            for (method, path) in [("GET", "/user/me"), ("GET", "/events?wait=0"), ("POST", "/auth/signout"), ("POST", "/auth/session")] {
                #expect(try await server.send(method, path).status == 401, "\(path)")
            }
            #expect(try await accounts(server) == [ada.id])
        }
    }

    private static let badIDs = [
        "%00", "a%2Fb", "..%2F..", "%2E%2E", "%2E", "Zo%C3%AB", "a%20b", "a+b", "a@b", "%FF", "'%20OR%201=1--",
        String(repeating: "x", count: 129),
    ]

    @Test("an id that does not belong in a path is 400, and the error names it", arguments: StoragePair.allCases)
    func ids(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.allowed) { server in
            for id in Self.badIDs {
                let connection = try RawConnection(port: server.port)
                try connection.send("GET \(path(id)) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                let answer = try connection.answer()
                #expect(answer.status == 400 && answer.text.contains("user id"), "\(id): \(answer.text)")
                #expect(try await accounts(server) == [], "\(id)")
            }
        }
    }

    @Test(arguments: StoragePair.allCases)
    func `many first requests at once make one account, and all are answered`(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, Self.allowed) { server in
            let longest = String(repeating: "x", count: 128)
            for user in ["anna", longest] {
                let answers = try await withThrowingTaskGroup(of: Int.self) { group in
                    for number in 0..<16 {
                        group.addTask {
                            number % 4 == 0
                                ? try await upload(server, user).status : try await server.send("GET", path(user)).status
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers == [Int](repeating: 200, count: 16))
            }
            #expect(try await accounts(server) == ["anna", longest])
        }
    }

    @Test func `a repeat with the same key gets the first answer; another user's key is another`() async throws {
        try await TestServer.run(.sqlite, Self.allowed) { server in
            let key = [("Idempotency-Key", "k1")]
            let first = try await upload(server, "anna", headers: key)
            let again = try await upload(server, "anna", headers: key)
            #expect(first.status == 200 && again.body == first.body && again.header("Idempotency-Replayed") == "true")
            #expect(try await upload(server, "eve", headers: key).header("Idempotency-Replayed") == nil)
        }
    }

    @Test(arguments: StoragePair.allCases)
    func `they are counted by account and by address, before an account is made`(_ pair: StoragePair) async throws {
        func few(_ settings: inout Settings) {
            settings.allowsAnonymous = true
            settings.rateLimits = RateLimits()
            settings.rateLimits?.read = Rate(perMinute: 60, burst: 4)
        }
        try await TestServer.run(pair, few) { server in
            for user in ["a", "b", "c", "d"] { #expect(try await server.send("GET", path(user)).status == 200) }
            let refused = try await server.send("GET", path("e"))
            #expect(refused.status == 429 && refused.header("Retry-After") == "1")
            #expect(try await accounts(server) == ["a", "b", "c", "d"])
            // A caller who is signed in has a separate limit.
            let ada = try await server.person()
            #expect(try await server.send("GET", path(ada.id), as: ada).status == 200)
        }
    }

    @Test func `no page of another origin changes anything through its reader's browser`() async throws {
        try await TestServer.run(.sqlite, Self.allowed) { server in
            let evil = try await upload(server, "anna", headers: [("Origin", "https://evil.example.org")])
            #expect(evil.status == 403)
            #expect(try await upload(server, "anna", headers: [("Origin", "null")]).status == 403)
            #expect(try await accounts(server) == [])
            #expect(try await upload(server, "anna", headers: [("Origin", server.url)]).status == 200)
        }
    }

    @Test func `where registration is not open they may be whoever is there, and nobody new`() async throws {
        let settings: (inout Settings) -> Void = {
            $0.allowsAnonymous = true
            $0.registration = .closed
        }
        try await TestServer.run(.sqlite, settings) { server in
            let ada = try await server.person()
            #expect(try await server.send("GET", path(ada.id)).status == 200)
            #expect(try await server.send("GET", path("eve")).status == 403)
            #expect(try await accounts(server) == [ada.id])
        }
    }

    private struct SocketPath: Codable, Sendable { let userId: String }

    @Test(arguments: [true, false])
    func `a socket with a user in its path opens for them, and stays`(_ isAllowed: Bool) async throws {
        try await TestServer.run(.sqlite, { $0.allowsAnonymous = isAllowed }) { server in
            let web = WebServer(metrics: Metrics())
            let routes = server.backend.makeRoutes(on: web)
            routes.serve(webSocket: SocketEndpoint<SocketPath>("/ws/test/{userId}", surface: .captures)) { input, connection, context in
                for await _ in connection.messages { try await connection.send("\(try context.requireViewer().accountID) \(input.userId)") }
            }
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let (ports, onPort) = AsyncStream.makeStream(of: Int.self)
            let application = web.makeApplication(router: routes.router, host: "127.0.0.1", port: 0, logger: logger) { onPort.yield($0) }
            let group = ServiceGroup(configuration: .init(services: [application], logger: logger))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask(executorPreference: globalConcurrentExecutor) { try await group.run() }
                var iterator = ports.makeAsyncIterator()
                let port = try #require(await iterator.next())
                if isAllowed {
                    let client = try WebSocketClient(port: port, path: "/ws/test/anna")
                    try client.send("who?")
                    #expect(try client.nextMessage().text == "anna anna")
                    #expect(throws: WebSocketClient.Refused.self) {
                        try WebSocketClient(port: port, path: "/ws/test/anna", headers: [("Authorization", "Bearer x")])
                    }
                    client.connection.close()
                } else {
                    #expect(throws: WebSocketClient.Refused.self) { try WebSocketClient(port: port, path: "/ws/test/anna") }
                }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
        }
    }

    @Test(arguments: StoragePair.allCases)
    func `the document's first sample is refused without the option: it is what lets it in`(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            _ = await #expect(throws: DocumentClient.Failure.self) {
                _ = try await DocumentClient(base: server.url).uploadToConvexMultimedia(images: [Fixture.data("photo.jpg")])
            }
        }
    }
}
