import Core
import Foundation
import KeepsakeKit
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// The client library with URLSession against a real server.
@Suite("KeepsakeKit against the server", .blocksThreads)
struct KitOnServerTests {
    /// The client compares a token's expiry with the server's `Date` header, so the injected clock starts at the real time.
    private func clock() -> TestClock { TestClock(Timestamp(seconds: Int64(Date().timeIntervalSince1970))) }

    private func kit(_ server: TestServer, _ tokens: any TokenStore = MemoryTokenStore()) throws -> KeepsakeClient {
        KeepsakeClient(url: try #require(URL(string: server.url)), tokens: tokens)
    }

    @Test("signs in, uploads, keeps a mood, reads pages, searches, downloads and signs out", arguments: StoragePair.allCases)
    func surfaces(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, clock: clock()) { server in
            let folder = try TemporaryFolder()
            let tokens = MemoryTokenStore()
            let keepsake = try kit(server, tokens)
            let user = try await keepsake.auth.register(email: "ada@example.org", password: "correct horse", name: "Ada")
            #expect(try await keepsake.auth.me().id == user.id)
            #expect(await tokens.load()?.userID == user.id)

            let photo = URL(filePath: folder.path + "/sea.jpg")
            try Fixture.data("photo.jpg").write(to: photo)
            let uploaded = try await keepsake.media.upload([photo], labels: .init(title: "Sea \"at night\"", tags: ["blue"]))
            let file = try #require(uploaded.files.first).data
            #expect(uploaded.count == 1)

            var moods: [String] = []
            for number in 1...5 {
                moods.append(try await keepsake.moments.createMood("calm \(number)", note: "by the harbour", moodIntensity: number).id)
                // Advance the clock, because the order of entries with the same time is undefined.
                server.clock.advance(by: .seconds(1))
            }
            var read: [String] = []
            for try await mood in keepsake.moments.moods(limit: 2) { read.append(mood.id) }
            #expect(read == moods.reversed())

            let found = try await keepsake.search("harbour").page()
            #expect(found.items.count == 5)
            // The timeline has the moods and the photo.
            #expect(try await keepsake.timeline.entries().page().items.count == 6)

            let copy = URL(filePath: folder.path + "/copy.jpg")
            try await keepsake.media.download(file.fileId, to: copy)
            #expect(try Data(contentsOf: copy) == Data(contentsOf: photo))
            // Links need no credential.
            let small = try #require(MediaLibrary.link(file.url, size: .init(width: 64, format: .webp, quality: 50)))
            let picture = try await server.send("GET", small.absoluteString)
            #expect(picture.status == 200 && picture.header("Content-Type") == "image/webp", "\(small)")
            let playable = try #require(MediaLibrary.playableLink(file.url))
            #expect(playable.absoluteString == file.url + "&play=1")
            #expect(try await server.send("GET", playable.absoluteString).body == Data(contentsOf: photo))

            try await keepsake.auth.signOut()
            #expect(await tokens.load() == nil)
            await #expect { try await keepsake.auth.me() } throws: { ($0 as? KeepsakeError)?.code == .signedOut }
        }
    }

    @Test("a repeat under the same key creates nothing, and errors have code, status and request id", arguments: Engine.allCases)
    func keysAndErrors(_ engine: Engine) async throws {
        try await TestServer.run(engine, clock: clock()) { server in
            let keepsake = try kit(server)
            try await keepsake.auth.register(email: "ada@example.org", password: "correct horse")
            let first = try await keepsake.moments.createMemory(title: "Harbour", key: "one")
            #expect(try await keepsake.moments.createMemory(title: "Harbour", key: "one").id == first.id)
            #expect(try await keepsake.moments.memories().page().items.count == 1)
            await #expect { try await keepsake.capsules.get("missing") } throws: { error in
                guard let error = error as? KeepsakeError else { return false }
                return error.status == 404 && error.code.rawValue == "not_found" && error.requestID != nil && !error.isRetryable
            }
            await #expect { try await keepsake.auth.signIn(email: "ada@example.org", password: "wrong horse") } throws: {
                ($0 as? KeepsakeError)?.status == 401
            }
            // The failed sign-in did not change the session.
            _ = try await keepsake.auth.me()
        }
    }

    @Test("100 tasks that meet an expired token make one refresh", arguments: Engine.allCases)
    func expired(_ engine: Engine) async throws {
        let clock = clock()
        try await TestServer.run(engine, clock: clock) { server in
            let tokens = MemoryTokenStore()
            let transport = CountingTransport()
            let keepsake = KeepsakeClient(url: try #require(URL(string: server.url)), tokens: tokens, transport: transport)
            try await keepsake.auth.register(email: "ada@example.org", password: "correct horse")
            // The injected clock says that the token has expired, but the `Date` header does not. So the server refuses each request once.
            clock.advance(by: .seconds(4_000))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<100 { tasks.addTask { _ = try await keepsake.auth.me() } }
                try await tasks.waitForAll()
            }
            #expect(transport.count(of: "/auth/refresh") == 1)
        }
    }

    @Test("two stores on one file, as of two processes, stay signed in", arguments: Engine.allCases)
    func twoProcesses(_ engine: Engine) async throws {
        let clock = clock()
        try await TestServer.run(engine, clock: clock) { server in
            let folder = try TemporaryFolder()
            let file = URL(filePath: folder.path + "/session/tokens.json")
            let (app, sharing) = (try kit(server, FileTokenStore(file)), try kit(server, FileTokenStore(file)))
            try await app.auth.register(email: "ada@example.org", password: "correct horse")
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            for _ in 0..<3 {
                clock.advance(by: .seconds(4_000))
                try await withThrowingTaskGroup(of: Void.self) { tasks in
                    for keepsake in [app, sharing] { tasks.addTask { _ = try await keepsake.auth.me() } }
                    try await tasks.waitForAll()
                }
            }
        }
    }

    @Test("three consumers get each event once and in order", .timeLimit(.minutes(1)), arguments: Engine.allCases)
    func live(_ engine: Engine) async throws {
        try await TestServer.run(engine, clock: clock()) { server in
            let keepsake = try kit(server)
            try await keepsake.auth.register(email: "ada@example.org", password: "correct horse")
            _ = try await keepsake.moments.createMood("first")
            let numbers = try await withThrowingTaskGroup(of: [Int64].self) { tasks in
                for _ in 0..<3 {
                    tasks.addTask {
                        var seen: [Int64] = []
                        for try await message in keepsake.events.follow(since: 0) {
                            if case .event(let event) = message { seen.append(event.seq) }
                            if seen.count == 6 { break }
                        }
                        return seen
                    }
                }
                for number in 2...6 {
                    _ = try await keepsake.moments.createMood("mood \(number)")
                    await keepsake.events.reconnect()
                }
                var all: [[Int64]] = []
                for try await seen in tasks { all.append(seen) }
                return all
            }
            for seen in numbers { #expect(seen == Array(seen[0]..<seen[0] + 6)) }
            #expect(Set(numbers).count == 1)
        }
    }
}
