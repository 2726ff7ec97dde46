import Foundation
import HTTPTypes
import KeepsakeKit
import KeepsakeTesting
import KeepsakeWire
import Synchronization
import TestKit
import Testing

@testable import FeatureTestKit

/// Tests of faults, which only the fake server can produce. Also tests of signals and of the single connection, which are easiest with it.
@Suite("KeepsakeTesting's fake server", .timeLimit(.minutes(1)))
struct FakeServerTests {
    private func person(_ server: FakeServer) async throws -> KeepsakeClient {
        let client = server.client()
        try await client.auth.register(email: "ada@example.org", password: "correct horse")
        return client
    }

    @Test("without a network calls fail as network errors, nobody is signed out, and later calls succeed")
    func offline() async throws {
        let server = FakeServer()
        let ada = try await person(server)
        server.inject(.offline)
        await #expect { try await ada.auth.me() } throws: { ($0 as? KeepsakeError)?.code == .network }
        server.clearFaults()
        server.inject(.offline, times: 2)
        _ = try await ada.auth.me()
    }

    @Test("a lost response does not create twice, and a refusal for a while is tried again")
    func retries() async throws {
        let server = FakeServer()
        let ada = try await person(server)
        server.inject(.lostResponse, times: 1) { $0.method == .post }
        server.inject(.status(503, retryAfter: 0), times: 1) { $0.method == .post }
        _ = try await ada.moments.createMood("calm")
        #expect(try await ada.moments.moods().page().items.count == 1)
        #expect(server.requests.filter { $0.path?.hasSuffix("/moods/swift") == true }.count == 3)
        server.inject(.status(500))
        await #expect { try await ada.moments.createMood("calm") } throws: { ($0 as? KeepsakeError)?.status == 500 }
    }

    @Test("status 401 makes one refresh; a slow server meets the deadline")
    func refusals() async throws {
        let server = FakeServer()
        let ada = try await person(server)
        server.inject(.status(401), times: 1) { $0.path == "/user/me" }
        _ = try await ada.auth.me()
        #expect(server.requests.filter { $0.path == "/auth/refresh" }.count == 1)
        server.advance(by: .seconds(4_000))
        _ = try await ada.auth.me()
        #expect(server.requests.filter { $0.path == "/auth/refresh" }.count == 2)
        let hurried = Keepsake(
            url: FakeServer.url, tokens: MemoryTokenStore(), transport: server, clock: server.clock,
            retries: RetryPolicy(deadline: .milliseconds(50)))
        server.inject(.slow(.seconds(30)))
        await #expect { try await hurried.auth.signIn(email: "ada@example.org", password: "correct horse") } throws: {
            ($0 as? KeepsakeError)?.code == .timeout
        }
    }

    @Test("sessions that end elsewhere sign out; a verification decides who creates coves")
    func operating() async throws {
        let server = FakeServer()
        let ada = try await person(server)
        let id = try #require(try await ada.auth.userID)
        server.setVerified(false, of: id)
        await expectRefusal(403) { try await ada.coves.create(CreateCoveInput(name: "Sailors", location: "Kiel")) }
        server.endSessions(of: id)
        await expectRefusal(401) { try await ada.auth.me() }
        #expect(try await ada.auth.userID == nil)
    }

    @Test("an archive holds each file under a name of its own, and its link ends after an hour")
    func archives() async throws {
        let server = FakeServer()
        let ada = try await person(server)
        let folder = try TemporaryFolder()
        let photo = URL(filePath: folder.path + "/a.jpg")
        try Fixture.data("photo.jpg").write(to: photo)
        let ids = try await ada.media.upload([photo, photo]).files.map(\.data.fileId)
        let archive = URL(filePath: folder.path + "/a.zip")
        try await ada.media.downloadArchive(of: ids, to: archive)
        let bytes = try Data(contentsOf: archive)
        for name in ["a.jpg", "a (2).jpg"] { #expect(bytes.range(of: Data(name.utf8)) != nil, "\(name)") }
        let link = try await ada.media.createArchive(of: ids)
        let path = MediaArchivePath(userId: try #require(try await ada.auth.userID), archiveId: link.archiveId)
        try await ada.download(MediaEndpoints.archive, path, to: archive)
        server.advance(by: .seconds(3_601))
        await expectRefusal(404) { try await ada.download(MediaEndpoints.archive, path, to: archive) }
    }

    @Test("a dropped connection is replaced without a gap, and forgotten events are a reset", arguments: [true, false])
    func live(_ hasSockets: Bool) async throws {
        let server = FakeServer(hasSockets: hasSockets)
        let ada = try await person(server)
        let id = try #require(try await ada.auth.userID)
        var iterator = ada.events.follow(since: 0).makeAsyncIterator()
        for number in 1...5 {
            server.emit("test.counted", to: id)
            server.dropConnections()
            guard case .event(let event)? = try await iterator.next() else {
                Issue.record("no event came")
                return
            }
            #expect(event.seq == Int64(number))
        }
        server.inject(.offline)
        server.emit("test.counted", to: id)
        server.forgetEvents(of: id)
        server.clearFaults()
        #expect(try await iterator.next() == .reset(seq: 6))
    }

    @Test("a signal that the app is in the foreground or the network has changed reconnects at once")
    func signals() async throws {
        let server = FakeServer()
        let signal = Mutex<AsyncStream<Void>.Continuation?>(nil)
        let signals = KeepsakeSignals {
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            signal.withLock { $0 = continuation }
            return stream
        }
        let ada = Keepsake(
            url: FakeServer.url, tokens: MemoryTokenStore(), transport: server, clock: server.clock,
            retries: RetryPolicy(firstWait: .seconds(600), longestWait: .seconds(600)), signals: signals)
        let id = try await ada.auth.register(email: "ada@example.org", password: "correct horse").id
        let (events, received) = AsyncStream.makeStream(of: Int64.self)
        let reader = Task { for try await case .event(let event) in ada.events.follow(since: 0) { received.yield(event.seq) } }
        defer { reader.cancel() }
        var numbers = events.makeAsyncIterator()
        server.emit("test.counted", to: id)
        #expect(await numbers.next() == 1)
        server.inject(.offline)
        // The client notices that the connection has ended, tries again without success, and waits ten minutes.
        try await eventually { server.requests.filter { $0.path?.hasPrefix("/ws/events") == true }.count >= 1 }
        try await Task.sleep(for: .milliseconds(100))
        server.clearFaults()
        server.emit("test.counted", to: id)
        let before = ContinuousClock.now
        signal.withLock { $0 }?.yield()
        #expect(await numbers.next() == 2)
        #expect(ContinuousClock.now - before < .seconds(30))
    }

    @Test("three consumers share one socket")
    func oneSocket() async throws {
        let server = FakeServer()
        let ada = try await person(server)
        let id = try #require(try await ada.auth.userID)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<3 {
                tasks.addTask {
                    var iterator = ada.events.follow(since: 0).makeAsyncIterator()
                    for number in 1...2 as ClosedRange<Int64> {
                        guard case .event(let event)? = try await iterator.next() else {
                            Issue.record("no event came")
                            return
                        }
                        #expect(event.seq == number)
                    }
                }
            }
            // Wait until all consumers have joined: a consumer that joins after an event that it wants would make the client open another
            // socket.
            try await Task.sleep(for: .milliseconds(50))
            for _ in 0..<2 { server.emit("test.counted", to: id) }
            try await tasks.waitForAll()
        }
        #expect(server.requests.filter { $0.path?.hasPrefix("/ws/events") == true }.count == 1)
    }
}
