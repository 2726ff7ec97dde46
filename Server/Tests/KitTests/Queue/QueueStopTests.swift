import Foundation
import HTTPTypes
import KeepsakeTesting
import KeepsakeWire
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import KeepsakeKit

/// An app that goes to the background and comes back, and an app whose user signs out for good.
@Suite("KeepsakeKit's offline queue: stopping", .blocksThreads, .timeLimit(.minutes(2)))
struct QueueStopTests {
    private func person(_ server: FakeServer, _ transport: any Transport) async throws -> KeepsakeClient {
        let keepsake = KeepsakeClient(
            url: FakeServer.url, tokens: MemoryTokenStore(), transport: transport, clock: server.clock,
            retries: RetryPolicy(firstWait: .milliseconds(2), longestWait: .milliseconds(20)), signals: .none)
        try await keepsake.auth.register(email: "ada@example.org", password: "correct horse")
        return keepsake
    }

    @Test("a start while a stop still waits for a request is not lost")
    func startDuringStop() async throws {
        let folder = try TemporaryFolder()
        let server = FakeServer()
        let transport = SlowToEnd(server)
        let keepsake = try await person(server, transport)
        let queue = OfflineQueue(keepsake, folder: URL(filePath: folder.path + "/queue"))
        try await queue.enqueue(.mood("calm", note: "once"))
        await queue.start()
        // The request is in flight.
        try await eventually { transport.hasBegun }
        let stopping = Task { await queue.stop() }
        try await eventually { transport.isCancelled }
        await queue.start()
        transport.end()
        await stopping.value
        try await eventually { try await queue.entries().isEmpty }
        #expect(try await keepsake.moments.moods().page().items.map(\.note) == ["once"])
        try await eventually { await queue.currentStatus == .idle }
        await queue.stop()
        #expect(await queue.currentStatus == .stopped)
    }

    @Test("a flush that is cancelled, as when a background task's time is up, does not wait for what the queue is sending")
    func cancelledFlush() async throws {
        let folder = try TemporaryFolder()
        let server = FakeServer()
        let transport = SlowToEnd(server)
        let keepsake = try await person(server, transport)
        let queue = OfflineQueue(keepsake, folder: URL(filePath: folder.path + "/queue"))
        try await queue.enqueue(.mood("calm", note: "once"))
        await queue.start()
        try await eventually { transport.hasBegun }
        let flushing = Task { await queue.flush() }
        flushing.cancel()
        #expect(await flushing.value == .stopped)
        #expect(!transport.isCancelled)
        #expect(await queue.currentStatus == .sending)
        transport.end()
        try await eventually { try await queue.entries().isEmpty }
        #expect(try await keepsake.moments.moods().page().items.map(\.note) == ["once"])
        await queue.stop()
    }

    @Test("no copy of a file stays after all entries of an account were removed")
    func nothingStays() async throws {
        let folder = try TemporaryFolder()
        let server = FakeServer()
        let keepsake = try await person(server, server)
        let root = folder.path + "/queue"
        let queue = OfflineQueue(keepsake, folder: URL(filePath: root))
        let entry = try await queue.enqueue(.mood("calm"))
        // One app was killed while it added an entry, another one while it deleted an entry.
        let account = try #require(try FileManager.default.contentsOfDirectory(atPath: root).first)
        for place in ["new", "gone"] {
            let left = "\(root)/\(account)/\(place)/left"
            try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
            try Data("photo".utf8).write(to: URL(filePath: left + "/body-0"))
        }
        try await keepsake.auth.signOut()
        try await queue.removeAll(of: entry.userID)
        let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        #expect(!files.isEmpty && !files.contains { $0.hasSuffix("entry.json") || $0.contains("body-") }, "\(files)")
    }

    @Test("an enqueue that began before all entries were removed adds nothing")
    func enqueueBeforeRemoval() async throws {
        let folder = try TemporaryFolder()
        let tokens = SlowTokens()
        let keepsake = KeepsakeClient(url: FakeServer.url, tokens: tokens, transport: FakeServer(), signals: .none)
        let queue = OfflineQueue(keepsake, folder: URL(filePath: folder.path + "/queue"))
        let adding = Task { try await queue.enqueue(.mood("calm")) }
        try await eventually { tokens.loads == 1 }
        try await queue.removeAll(of: "ada")
        tokens.open()
        await #expect { try await adding.value } throws: { ($0 as? KeepsakeError)?.code == .cancelled }
        #expect(try await queue.entries(of: "ada").isEmpty)
        // A later `enqueue` adds its entry.
        try await queue.enqueue(.mood("calm"))
        #expect(try await queue.entries(of: "ada").count == 1)
    }

    @Test("a draft that is finished while entries are being removed does not stay")
    func draftDuringRemoval() async throws {
        let folder = try TemporaryFolder()
        let server = FakeServer()
        let keepsake = try await person(server, server)
        let root = folder.path + "/queue"
        let queue = OfflineQueue(keepsake, folder: URL(filePath: root))
        let first = try await queue.enqueue(.mood("calm"))
        let account = try #require(try FileManager.default.contentsOfDirectory(atPath: root).first)
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(account)/waiting").first)
        let old = "\(root)/\(account)/waiting/\(name)"
        // Deleting these files takes so long that the draft is finished in the meantime.
        for number in 1...10_000 { try Data().write(to: URL(filePath: "\(old)/body-\(number)")) }
        let hasBegun = Mutex(false)
        let call = QueuedCall(.init(rawValue: "cove"), CoveEndpoints.create) { _ in
            hasBegun.withLock { $0 = true }
            let end = ContinuousClock.now + .seconds(10)
            while FileManager.default.fileExists(atPath: old), ContinuousClock.now < end { Thread.sleep(forTimeInterval: 0.000_2) }
            return CreateCoveInput(name: "cove", location: "here")
        }
        let adding = Task { try await queue.enqueue(call) }
        try await eventually { hasBegun.withLock { $0 } }
        try await queue.removeAll(of: first.userID)
        await #expect(throws: KeepsakeError.self) { try await adding.value }
        #expect(try await queue.entries(of: first.userID).isEmpty)
        let files = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        #expect(!files.contains { $0.hasSuffix("entry.json") || $0.contains("body-") }, "\(files)")
    }
}

/// A store whose `load` waits until the test calls `open`.
private final class SlowTokens: TokenStore {
    private let opened: AsyncStream<Void>
    private let gate: AsyncStream<Void>.Continuation
    private let count = Mutex(0)

    init() { (opened, gate) = AsyncStream.makeStream(of: Void.self) }

    var loads: Int { count.withLock { $0 } }

    func open() { gate.finish() }

    func load() async throws -> StoredSession? {
        count.withLock { $0 += 1 }
        for await _ in opened {}
        return StoredSession(id: "s", userID: "ada", accessToken: "a", refreshToken: "r", expiresAt: .distantFuture)
    }

    func save(_ session: StoredSession?, replacing expected: StoredSession.ID?) async throws -> Bool { true }
}

/// The fake server behind a transport on which the request for the first mood ends late, even though it was cancelled.
private final class SlowToEnd: Transport {
    private struct State {
        var hasBegun = false
        var isCancelled = false
        var hasEnded = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let server: FakeServer
    private let state = Mutex(State())

    init(_ server: FakeServer) { self.server = server }

    var hasBegun: Bool { state.withLock { $0.hasBegun } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    func end() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.hasEnded = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    func send(
        _ request: HTTPRequest, body: RequestBody, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse {
        if request.path?.hasSuffix("/moods/swift") == true {
            state.withLock { $0.hasBegun = true }
            await withTaskCancellationHandler {
                await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                    let hasEnded = state.withLock { state -> Bool in
                        if !state.hasEnded { state.waiting = continuation }
                        return state.hasEnded
                    }
                    if hasEnded { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.isCancelled = true }
            }
        }
        return try await server.send(request, body: body, timeout: timeout, progress: progress)
    }

    func download(
        _ request: HTTPRequest, to file: URL, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse {
        try await server.download(request, to: file, timeout: timeout, progress: progress)
    }
}
