import Blobs
import Core
import NIOCore
import NIOPosix
import TestKit
import TestThreads
import Testing

@testable import S3Blobs

@Suite("A blob in an object store, read on an event loop", .blocksThreads)
struct S3StreamTests {
    private let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
    private let content = BlobStoreSuite.bytes(20_000_000)

    @Test("The store sends no faster than the pieces are taken, and the connection carries the next request")
    func unread() async throws {
        let fixture = try S3Fixture()
        let store = try await fixture.open()
        let blob = try await BlobStoreSuite.put(content, in: store)
        let reader = try await store.openShared(blob.key, byteCount: blob.byteCount)
        let stream = try #require(reader.stream(0..<blob.byteCount, on: eventLoop))
        defer { stream.end() }
        var found = try await next(of: stream)
        try await Task.sleep(for: .milliseconds(300))
        // Pieces have at most 128 KiB: the first, and the one that waits.
        let received = fixture.received(.getObject)
        #expect(received <= 2 * 131_072, "\(received) bytes arrived although nobody took them")
        while case let piece = try await next(of: stream), !piece.isEmpty { found += piece }
        #expect(found == content)
    }

    @Test("Streams on one event loop, one after the other, share a connection")
    func reuse() async throws {
        let fixture = try S3Fixture()
        let blob = try await BlobStoreSuite.put(content, in: try await fixture.open())
        let proxy = try Proxy(toPort: CephService.sharedPort)
        defer { proxy.close() }
        let store = try await fixture.open(port: proxy.port)
        let reader = try await store.openShared(blob.key, byteCount: blob.byteCount)
        for _ in 0..<5 {
            let stream = try #require(reader.stream(0..<1_000_000, on: eventLoop))
            defer { stream.end() }
            var found: [UInt8] = []
            while case let piece = try await next(of: stream), !piece.isEmpty { found += piece }
            #expect(found == Array(content.prefix(1_000_000)))
            // The end of the response follows its last byte.
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(proxy.acceptedCount <= 2)
    }

    @Test("With limited requests, no more bytes arrive than the last request asked for")
    func limited() async throws {
        let fixture = try S3Fixture()
        let store = try await fixture.open()
        let content = content.prefix(1_000_000)
        let blob = try await BlobStoreSuite.put(Array(content), in: store)
        let reader = try await store.openShared(blob.key, byteCount: blob.byteCount)
        let stream = try #require(reader.stream(10..<blob.byteCount, on: eventLoop))
        defer { stream.end() }
        stream.limitRequests(to: 100_000)
        _ = fixture.takeRequests()
        var found = try await next(of: stream)
        try await Task.sleep(for: .milliseconds(100))
        #expect(fixture.received(.getObject) <= 100_000)
        while case let piece = try await next(of: stream), !piece.isEmpty { found += piece }
        #expect(found == Array(content.dropFirst(10)))
        #expect(fixture.takeRequests().count { $0 == .getObject } == 10)
    }

    @Test("The end of a stream fails a call that waits, and all later ones")
    func end() async throws {
        let fixture = try S3Fixture()
        let blob = try await BlobStoreSuite.put(content, in: try await fixture.open())
        let proxy = try FaultyHTTPProxy(toPort: CephService.sharedPort) { $0.method == "GET" ? .lose : .none }
        let store = try await fixture.open(port: proxy.port)
        let reader = try await store.openShared(blob.key, byteCount: blob.byteCount)
        let stream = try #require(reader.stream(0..<blob.byteCount, on: eventLoop))
        let waiting = Task { try await next(of: stream) }
        try await Task.sleep(for: .milliseconds(20))
        stream.end()
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        await #expect(throws: CancellationError.self) { _ = try await next(of: stream) }
    }

    @Test("A blob that is not there is missing, and a store that stays away is unavailable before the first byte")
    func errors() async throws {
        let fixture = try S3Fixture()
        let store = try await fixture.open()
        let key = BlobKey(entropy: .system)
        let missing = try await store.openShared(key, byteCount: 1_000)
        await #expect(throws: BlobError.missing(key)) { _ = try await BlobStoreSuite.stream(missing, 0..<1_000) }
        let proxy = try FaultyHTTPProxy(toPort: CephService.sharedPort) { _ in .lose }
        let away = try await fixture.open(port: proxy.port).openShared(key, byteCount: 1_000)
        let before = fixture.attempts(.getObject)
        do {
            _ = try await BlobStoreSuite.stream(away, 0..<1_000)
            Issue.record("nothing was thrown")
        } catch BlobError.unavailable(let reason) {
            #expect(reason.hasPrefix("GetObject: "))
        }
        #expect(fixture.attempts(.getObject) - before == 6)
    }

    /// - Returns: an empty array after the last piece.
    private func next(of stream: any BlobStream) async throws -> [UInt8] {
        try await eventLoop.flatSubmit { stream.next() }.get().map { Array($0.readableBytesView) } ?? []
    }
}
