import AccountData
import Core
import Foundation
import KeepsakeWire
import Synchronization
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

/// The server caches much for clients that send requests all the time: open files, verified tokens, sessions, rendered copies. Still, it
/// must refuse access to what was deleted or ended from the next request on.
@Suite("The next request after a deletion")
struct NextRequestTests {
    private struct Ask: Sendable {
        let path: String
        var method = "GET"
        var token: String?
        var headers: [(String, String)] = []
        /// The status of the response before the deletion.
        var served = 200
        /// The status of the response after the deletion.
        let refused: Int
    }

    private static let clients = 16

    private final class Progress: Sendable {
        /// Number of clients that got at least five responses before the deletion.
        let served = Mutex(0)
        /// Set once the response to the deletion has arrived.
        let isOver = Mutex(false)
    }

    /// 16 clients send requests without pauses. Each client always sends the same request, one of `asks`. After each client has got five
    /// responses, `end` deletes or ends what they request. Then each client sends ten more requests.
    private func whileAsking(_ asks: [Ask], _ server: TestServer, end: @escaping @Sendable () async throws -> Void) async throws {
        let progress = Progress()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<Self.clients {
                let ask = asks[client % asks.count]
                group.addTask {
                    var (served, refused) = (0, 0)
                    while refused < 10 {
                        let mustBeRefused = progress.isOver.withLock { $0 }
                        let answer = try await server.send(
                            ask.method, ask.path, headers: ask.headers + (ask.token.map { [("Authorization", "Bearer \($0)")] } ?? []))
                        if mustBeRefused {
                            try #require(answer.status == ask.refused, "\(ask.method) \(ask.path): \(answer.status) after the deletion")
                            #expect(answer.status != 404 || answer.body.count < 1_000)
                            refused += 1
                        } else {
                            // The deletion may already be committed. A request whose token was checked before it may find its file gone.
                            try #require(
                                [ask.served, ask.refused, 404].contains(answer.status), "\(ask.method) \(ask.path): \(answer.text)")
                            served += answer.status == ask.served ? 1 : 0
                            if served == 5 { progress.served.withLock { $0 += 1 } }
                        }
                    }
                    #expect(served >= 5)
                }
            }
            group.addTask {
                try await eventually { progress.served.withLock { $0 } >= Self.clients }
                try await end()
                progress.isOver.withLock { $0 = true }
            }
            try await group.waitForAll()
        }
    }

    /// One request for the file in each of the ways that the server treats differently.
    private func requests(for file: FileData, of person: TestServer.Person, _ server: TestServer) async throws -> [Ask] {
        let link = String(file.url.dropFirst(server.url.count))
        let own = "/api/users/user/\(person.id)/multimedia/files/\(file.fileId)"
        let shared = String(server.backend.media.library.sharedLink(file.fileId, owner: person.id).dropFirst(server.url.count))
        let tag = try #require(try await server.send("GET", link).header("ETag"))
        return [
            Ask(path: link, refused: 404), Ask(path: own, token: person.token, refused: 404), Ask(path: shared, refused: 404),
            Ask(path: link, method: "HEAD", refused: 404),
            Ask(path: link, headers: [("Range", "bytes=10-99")], served: 206, refused: 404),
            Ask(path: link, headers: [("If-None-Match", tag)], served: 304, refused: 404),
            Ask(path: "\(link)&w=64", refused: 404),
            Ask(path: "/api/users/user/\(person.id)/multimedia/\(file.fileId)", token: person.token, refused: 404),
        ]
    }

    private func file(_ server: TestServer, of person: TestServer.Person) async throws -> FileData {
        let answer = try await server.upload(.file("photo.jpg", try Fixture.data("photo.jpg")), as: person)
        try #require(answer.status == 200, "\(answer.text)")
        let file = try answer.decode(UploadResponse.self).files[0].data
        // Make the copy now, so that the clients below do not wait for the media worker.
        let small = try await server.send("GET", "\(file.url)&w=64")
        try #require(small.status == 200, "\(small.text)")
        return file
    }

    @Test("a deleted file, while 16 clients read it; another file with the same bytes is still served", arguments: StoragePair.allCases)
    func file(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let file = try await file(server, of: ada)
            let twin = try await self.file(server, of: ada)
            try await whileAsking(requests(for: file, of: ada, server), server) {
                let answer = try await server.send("DELETE", "/api/users/user/\(ada.id)/multimedia/\(file.fileId)", as: ada)
                try #require(answer.status == 200, "\(answer.text)")
            }
            #expect(try await server.send("GET", twin.url).body == Fixture.data("photo.jpg"))
        }
    }

    @Test("an ended session, while 16 clients use its token; another session of the account stays", arguments: StoragePair.allCases)
    func session(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let other = try await server.person()
            try #require(ada.id == other.id && ada.token != other.token)
            let file = try await file(server, of: ada)
            let base = "/api/users/user/\(ada.id)"
            let asks = [
                "/user/me", "\(base)/moods", "\(base)/timeline", "\(base)/multimedia", "\(base)/multimedia/files/\(file.fileId)",
                "\(base)/multimedia/files/\(file.fileId)?w=64", "\(base)/multimedia/\(file.fileId)", "/auth/sessions",
            ].map { Ask(path: $0, token: ada.token, refused: 401) }
            try await whileAsking(asks, server) {
                let answer = try await server.send("POST", "/auth/signout", as: ada)
                try #require(answer.status == 200, "\(answer.text)")
            }
            #expect(try await server.send("GET", "/user/me", as: other).status == 200)
            #expect(try await server.send("GET", file.url).status == 200)
        }
    }

    @Test("a deleted account, while 16 clients use its token, its files and its links", arguments: StoragePair.allCases)
    func account(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let file = try await file(server, of: ada)
            // The server checks the credential first, so a request with a token gets 401 instead of 404.
            let files = try await requests(for: file, of: ada, server).map { ask in
                Ask(
                    path: ask.path, method: ask.method, token: ask.token, headers: ask.headers, served: ask.served,
                    refused: ask.token == nil ? 404 : 401)
            }
            let asks = files + ["/user/me", "/api/users/user/\(ada.id)/moods"].map { Ask(path: $0, token: ada.token, refused: 401) }
            try await whileAsking(asks, server) {
                let answer = try await server.send("POST", "/auth/delete", as: ada)
                try #require(answer.status == 200, "\(answer.text)")
            }
        }
    }
}
