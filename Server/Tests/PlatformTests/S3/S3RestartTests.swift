import Blobs
import Core
import NIOCore
import NIOPosix
import TestKit
import TestThreads
import Testing

@testable import S3Blobs

@Suite("An object store that restarts", .blocksThreads)
struct S3RestartTests {
    @Test("Uploads and downloads survive that radosgw is killed, restarted and paused")
    func restarts() async throws {
        let service = try CephService(port: 17_486)
        let fixture = try S3Fixture(try service.address())
        // The attempts take longer than a restart on a busy machine.
        let store = try await fixture.open {
            $0.firstPause = .milliseconds(200)
            $0.attempts = 14
        }
        let content = BlobStoreSuite.bytes(16_000_000)
        let writer = try await store.stage()
        try await BlobStoreSuite.write(Array(content[..<6_000_000]), to: writer)
        async let restarted: Void = BlockingThreads.run { try service.restart() }
        try await BlobStoreSuite.write(Array(content[6_000_000..<11_000_000]), to: writer)
        try await restarted
        try service.pause()
        async let resumed: Void = BlockingThreads.run {
            try await Task.sleep(for: .milliseconds(300))
            try service.resume()
        }
        try await BlobStoreSuite.write(Array(content[11_000_000...]), to: writer)
        let blob = try await writer.finish()
        try await resumed
        try await store.publish([blob])
        let reader = try await store.open(blob.key)
        var found: [UInt8] = []
        for try await chunk in reader.chunks(in: 0..<reader.byteCount) {
            if found.isEmpty { try await BlockingThreads.run { try service.restart() } }
            found += chunk.readableBytesView
        }
        #expect(found == content)

        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        let stream = try #require(reader.stream(0..<reader.byteCount, on: eventLoop))
        defer { stream.end() }
        found = []
        while let piece = try await eventLoop.flatSubmit({ stream.next() }).get() {
            if found.isEmpty { try await BlockingThreads.run { try service.restart() } }
            found += piece.readableBytesView
        }
        #expect(found == content)
    }
}
