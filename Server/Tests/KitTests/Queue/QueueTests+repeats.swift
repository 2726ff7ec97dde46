import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import KeepsakeKit
@testable import keepsake

/// Requests that the queue repeats, minutes or weeks later, because their responses were lost.
extension QueueTests {
    @Test("a request whose response was lost is repeated after 29 days and creates nothing twice; after 31 days the app decides")
    func weeksLater() async throws {
        let clock = clock()
        try await TestServer.run(.sqlite, clock: clock) { server in
            let fixture = try await QueueFixture(server)
            let proxy = try FaultyHTTPProxy(toPort: server.port)
            let transport = DatedTransport(clock)
            let keepsake = try fixture.keepsake(port: proxy.port, transport: transport)
            let queue = OfflineQueue(keepsake, folder: fixture.queue)
            let losing: FaultyHTTPProxy.Rule = { $0.method == "POST" && $0.target.hasSuffix("/swift") ? .loseResponse : .none }

            proxy.set(losing)
            let first = try await queue.enqueue(.mood("calm", note: "first"))
            guard case .waiting = await queue.flush() else {
                Issue.record("the response arrived")
                return
            }
            #expect(try await queue.entry(first.id)?.attempts == 1)
            #expect(try await fixture.stored() == ["first": 1])
            clock.advance(by: .days(29))
            try await sweep(server)
            proxy.set { _ in .none }
            // The refresh token is valid for 30 days. The client of the app's next launch learns the time from the server.
            let later = OfflineQueue(try fixture.keepsake(port: proxy.port, transport: transport), folder: fixture.queue)
            try await flushed(later)
            #expect(try await fixture.stored() == ["first": 1])

            proxy.set(losing)
            let second = try await later.enqueue(.mood("calm", note: "second"))
            try await later.enqueue(.mood("calm", note: "third"))
            _ = await later.flush()
            clock.advance(by: .days(30) + .seconds(60))
            try await sweep(server)
            proxy.set { _ in .none }
            let signingIn = try fixture.keepsake(port: proxy.port, transport: transport)
            try await signingIn.auth.signIn(email: "ada@example.org", password: "correct horse")
            let last = OfflineQueue(signingIn, folder: fixture.queue)
            try await flushed(last)
            #expect(try await last.entries().map(\.state) == [.uncertain])
            // The queue has sent the entry after the uncertain one.
            #expect(try await fixture.stored() == ["first": 1, "second": 1, "third": 1])
            // Control: the queue does what the app decides, even if the entry is then created twice.
            #expect(try await last.retryParked() == 0)
            #expect(try await last.retry(second.id))
            try await flushed(last)
            #expect(try await fixture.stored()["second"] == 2)
        }
    }

    @Test(
        "an upload, a capsule, a capture's file and a capture whose responses were lost are created once by a repeat after 29 days",
        arguments: StoragePair.allCases)
    func eachKindWeeksLater(_ pair: StoragePair) async throws {
        let clock = clock()
        try await TestServer.run(pair, clock: clock) { server in
            let fixture = try await QueueFixture(server)
            let proxy = try FaultyHTTPProxy(toPort: server.port)
            let sockets = SocketsWithFaults(toPort: server.port)
            let transport = DatedTransport(clock, sockets: sockets)
            let date = Date(timeIntervalSince1970: 1_000_000_001)
            let calls: [(name: String, call: QueuedCall)] = try [
                ("upload", .upload([fixture.film], labels: .init(title: "upload-1"))),
                ("capsule", .capsule(fixture.sound, duration: 1, createdAt: date)),
                ("file", .captureFile("capture-1", fixture.photo)),
                ("capture", .capture(photo: fixture.photo, transcription: "words", id: "capture-2")),
            ]
            let keepsake = try fixture.keepsake(port: proxy.port, transport: transport)
            for (name, call) in calls {
                // For the capture, its photo arrives, but the acknowledgement of the capture itself is lost.
                let isSocket = name == "capture"
                sockets.loseReplies(isSocket)
                proxy.set { $0.method == "POST" && !isSocket ? .loseResponse : .none }
                // Each entry has its own queue, because an entry that waits also stops the entries after it.
                let queue = OfflineQueue(keepsake, folder: URL(filePath: fixture.path + "/queue-\(name)"))
                let entry = try await queue.enqueue(call)
                guard case .waiting = await queue.flush() else {
                    Issue.record("the response to \(name) arrived")
                    return
                }
                // The upload of a capture's photo is an attempt too.
                #expect(try await queue.entry(entry.id)?.attempts == (isSocket ? 2 : 1), "\(name)")
            }
            #expect(try await fixture.stored()["upload-1"] == 1)
            #expect(try await keepsake.captures.list().page().items.map(\.id) == ["capture-2"])
            clock.advance(by: .days(29))
            try await sweep(server)
            sockets.loseReplies(false)
            proxy.set { _ in .none }
            let later = try fixture.keepsake(port: proxy.port, transport: transport)
            for (name, _) in calls {
                let queue = OfflineQueue(later, folder: URL(filePath: fixture.path + "/queue-\(name)"))
                try await flushed(queue)
                #expect(try await queue.entries().isEmpty, "\(name)")
            }
            let stored = try await fixture.stored()
            for name in ["upload-1", "capsule-1", "capture-1"] { #expect(stored[name] == 1, "\(stored)") }
            #expect(try await later.captures.list().page().items.map(\.id) == ["capture-2"])
            #expect(try await fixture.fileCount() == 4)
        }
    }

    @Test("what the app tried to create before it was queued with the same key is created once")
    func ownKey() async throws {
        try await TestServer.run(.sqlite, clock: clock()) { server in
            let fixture = try await QueueFixture(server)
            let keepsake = try fixture.keepsake()
            let queue = OfflineQueue(keepsake, folder: fixture.queue)
            _ = try await keepsake.moments.createMood("calm", note: "once", images: [fixture.film], key: "my-key")
            try await queue.enqueue(.mood("calm", note: "once", images: [fixture.film]), key: "my-key")
            let capsule = try await keepsake.capsules.create(fixture.sound, duration: 1, key: "voice")
            try await queue.enqueue(.capsule(fixture.sound, duration: 1), key: "voice")
            try await flushed(queue)
            #expect(try await queue.entries().isEmpty)
            #expect(try await fixture.stored()["once"] == 1)
            #expect(try await keepsake.capsules.list().page().items.map(\.id) == [capsule.id])
            await #expect(throws: KeepsakeError.self) { try await queue.enqueue(.memory(title: "m"), key: "two words") }
        }
    }

    @Test("what was created and then deleted before its response arrived leaves the queue")
    func deletedMeanwhile() async throws {
        try await TestServer.run(.sqlite, clock: clock()) { server in
            let fixture = try await QueueFixture(server)
            let proxy = try FaultyHTTPProxy(toPort: server.port) { $0.method == "POST" ? .loseResponse : .none }
            let keepsake = try fixture.keepsake(port: proxy.port)
            let queue = OfflineQueue(keepsake, folder: fixture.queue)
            try await queue.enqueue(.mood("calm", note: "gone"))
            _ = await queue.flush()
            proxy.set { _ in .none }
            let mood = try #require(try await keepsake.moments.moods().page().items.first)
            try await keepsake.moments.deleteMood(mood.id)
            try await flushed(queue)
            #expect(try await queue.entries().isEmpty)
            #expect(try await fixture.stored().isEmpty)
        }
    }

    @Test("a capture that was deleted before its acknowledgement arrived leaves the queue; one whose id another has is parked")
    func deletedCapture() async throws {
        let clock = clock()
        try await TestServer.run(.sqlite, clock: clock) { server in
            let fixture = try await QueueFixture(server)
            let proxy = try FaultyHTTPProxy(toPort: server.port)
            let sockets = SocketsWithFaults(toPort: server.port)
            let keepsake = try fixture.keepsake(port: proxy.port, transport: DatedTransport(clock, sockets: sockets))
            let queue = OfflineQueue(keepsake, folder: fixture.queue)
            sockets.loseReplies(true)
            try await queue.enqueue(.capture(transcription: "gone", id: "capture-1"))
            guard case .waiting = await queue.flush() else {
                Issue.record("the acknowledgement arrived")
                return
            }
            sockets.loseReplies(false)
            try await keepsake.captures.delete("capture-1")
            // The network breaks before the client knows whether the capture was deleted, so the entry waits.
            proxy.set { $0.method == "GET" && $0.target.contains("/captures/capture-1") ? .loseResponse : .none }
            guard case .waiting = await queue.flush() else {
                Issue.record("the response to the read arrived")
                return
            }
            #expect(try await queue.entries().map(\.state) == [.waiting])
            proxy.set { _ in .none }
            try await flushed(queue)
            #expect(try await queue.entries().isEmpty)
            #expect(try await keepsake.captures.list().page().items.isEmpty)
            for words in ["first", "second"] { try await queue.enqueue(.capture(transcription: words, id: "capture-2"), label: words) }
            try await flushed(queue)
            #expect(try await queue.entries().map(\.label) == ["second"])
        }
    }

    @Test("a capture whose photo was replaced before the response to its upload arrived is sent all the same")
    func replacedPhoto() async throws {
        let clock = clock()
        try await TestServer.run(.sqlite, clock: clock) { server in
            let fixture = try await QueueFixture(server)
            let proxy = try FaultyHTTPProxy(toPort: server.port) { $0.method == "POST" ? .loseResponse : .none }
            let transport = DatedTransport(clock, sockets: SocketsWithFaults(toPort: server.port))
            let keepsake = try fixture.keepsake(port: proxy.port, transport: transport)
            let queue = OfflineQueue(keepsake, folder: fixture.queue)
            try await queue.enqueue(.capture(photo: fixture.photo, transcription: "words", id: "capture-1"))
            guard case .waiting = await queue.flush() else {
                Issue.record("the response arrived")
                return
            }
            proxy.set { _ in .none }
            _ = try await keepsake.captures.upload(fixture.photo, id: "capture-1")
            try await flushed(queue)
            #expect(try await queue.entries().isEmpty)
            let capture = try await keepsake.captures.get("capture-1")
            #expect(capture.transcription == "words" && capture.photoURL != nil)
        }
    }
}
