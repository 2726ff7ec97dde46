import Blobs
import Core
import Dispatch
import NIOCore
import NIOPosix
import TestKit
import Testing

@testable import S3Blobs

/// Nodes that share a bucket: one continues what another began.
@Suite("Uploads that another node continues")
struct S3ResumingTests {
    private let content = BlobStoreSuite.bytes(17_000_000, seed: 3)

    private func begin(_ store: S3BlobStore, _ byteCount: Int) async throws -> (any BlobWriter, BlobCheckpoint) {
        let writer = try await store.stage(isResumable: true)
        try await BlobStoreSuite.write(Array(content[..<byteCount]), to: writer)
        return (writer, try await writer.checkpoint())
    }

    @Test(
        "Another node continues at the checkpoint, with the same bytes and hash",
        arguments: [1, 5_000_000, 5 << 20, (5 << 20) + 1, 10 << 20, 16_000_000])
    func continues(_ byteCount: Int) async throws {
        let fixture = try S3Fixture()
        let (first, second) = (try await fixture.open(), try await fixture.open())
        let (old, checkpoint) = try await begin(first, byteCount)
        // What the first node received after its checkpoint is lost with it.
        try await BlobStoreSuite.write(BlobStoreSuite.bytes(6_000_000, seed: 99), to: old)
        let writer = try await second.resume(checkpoint)
        try await BlobStoreSuite.write(Array(content[byteCount...]), to: writer)
        let blob = try await writer.finish()
        #expect(blob.sha256 == BlobStoreSuite.sha256(content))
        #expect(blob.byteCount == 17_000_000)
        try await second.publish([blob])
        #expect(try await BlobStoreSuite.read(blob.key, in: first) == content)
        // The old node can neither complete its blob nor harm the new one.
        await #expect(throws: (any Error).self) {
            try await BlobStoreSuite.write(BlobStoreSuite.bytes(6_000_000), to: old)
            let zombie = try await old.finish()
            if byteCount < 5 << 20 { throw BlobError.missing(zombie.key) }
        }
        await old.abort()
        try await first.delete(checkpoint.key)
        #expect(try await BlobStoreSuite.read(blob.key, in: first) == content)
        // What the upload left behind is gone.
        try await fixture.wait {
            _ = try await first.removeLeftovers(olderThan: .init(microseconds: .max))
            let left = try await S3Fixture.everything(first)
            return left.objects == [S3Names.blob(blob.key)] && left.uploads.isEmpty
        }
    }

    @Test("Nodes pass an upload on at every checkpoint, also when one of them dies before its first")
    func passesOn() async throws {
        let fixture = try S3Fixture()
        var (_, checkpoint) = try await begin(try await fixture.open(), 300_000)
        for end in [2_000_000, 6_000_000, 6_000_001, 12_000_000] {
            // This node takes the upload over and dies.
            _ = try await fixture.open().resume(checkpoint)
            let node = try await fixture.open()
            let writer = try await node.resume(checkpoint)
            try await BlobStoreSuite.write(Array(content[Int(checkpoint.byteCount)..<end]), to: writer)
            let next = try await writer.checkpoint()
            #expect(next.byteCount == Int64(end))
            #expect(next.stagedAt == checkpoint.stagedAt)
            checkpoint = next
        }
        let node = try await fixture.open()
        let writer = try await node.resume(checkpoint)
        try await BlobStoreSuite.write(Array(content[12_000_000...]), to: writer)
        let blob = try await writer.finish()
        try await node.publish([blob])
        #expect(blob.sha256 == BlobStoreSuite.sha256(content))
    }

    @Test(
        "An upload is continued at a checkpoint before its end, although the first node has finished the blob",
        arguments: [3_000_000, 12_000_000])
    func afterTheEnd(_ byteCount: Int) async throws {
        let fixture = try S3Fixture()
        let (first, second) = (try await fixture.open(), try await fixture.open())
        let (old, checkpoint) = try await begin(first, byteCount)
        try await BlobStoreSuite.write(Array(content[byteCount...]), to: old)
        let lost = try await old.finish()
        let writer = try await second.resume(checkpoint)
        try await BlobStoreSuite.write(Array(content[byteCount...]), to: writer)
        let blob = try await writer.finish()
        try await second.publish([blob])
        #expect(blob.key != lost.key)
        // The first node's request fails in the end, so the node deletes the blob that it has stored.
        try await first.delete(lost.key)
        #expect(try await BlobStoreSuite.read(blob.key, in: first) == content)
    }

    @Test("A node that takes over ends the other's upload: the store accepts no more of its parts")
    func ends() async throws {
        let fixture = try S3Fixture()
        let (first, second) = (try await fixture.open(), try await fixture.open())
        let (old, checkpoint) = try await begin(first, 6_000_000)
        _ = try await second.resume(checkpoint)
        await #expect(throws: BlobError.self) {
            try await BlobStoreSuite.write(BlobStoreSuite.bytes(12_000_000), to: old)
            _ = try await old.finish()
        }
    }

    @Test("In the same process, parts sent after the checkpoint are dropped, also when fewer follow")
    func fewerParts() async throws {
        let store = try await S3Fixture().open()
        let (old, checkpoint) = try await begin(store, 6_000_000)
        try await BlobStoreSuite.write(BlobStoreSuite.bytes(12_000_000, seed: 5), to: old)
        let writer = try await store.resume(checkpoint)
        try await BlobStoreSuite.write(Array(content[6_000_000..<7_000_000]), to: writer)
        let blob = try await writer.finish()
        #expect(blob.sha256 == BlobStoreSuite.sha256(Array(content[..<7_000_000])))
        try await store.publish([blob])
        #expect(try await BlobStoreSuite.read(blob.key, in: store) == Array(content[..<7_000_000]))
    }

    @Test("In the same process, a step of the earlier writer that ends late sends no part and deletes nothing")
    func lateStep() async throws {
        let fixture = try S3Fixture()
        let store = try await fixture.open()
        let byteCount = (10 << 20) - 1_000
        let (old, checkpoint) = try await begin(store, byteCount)
        // All threads are busy, so that the writer's step and the resumption wait for them.
        let gate = DispatchSemaphore(value: 0)
        for _ in 0..<4 { store.threads.submit { _ in gate.wait() } }
        _ = fixture.takeRequests()
        // These bytes complete a part.
        let late = Task { try await old.append(ByteBuffer(repeating: 5, count: 524_288)) }
        let resuming = Task {
            try await Task.sleep(for: .milliseconds(100))
            return try await store.resume(checkpoint)
        }
        // The earlier writer has ended when the new one requests the tail.
        var requests: [S3Operation] = []
        for _ in 0..<3_000 where !requests.contains(.getObject) {
            try await Task.sleep(for: .milliseconds(10))
            requests += fixture.takeRequests()
        }
        for _ in 0..<4 { gate.signal() }
        let writer = try await resuming.value
        await #expect(throws: BlobError.ended) { try await late.value }
        await old.abort()
        try await BlobStoreSuite.write(Array(content[byteCount...]), to: writer)
        let blob = try await writer.finish()
        try await store.publish([blob])
        #expect(blob.sha256 == BlobStoreSuite.sha256(content))
        #expect(try await BlobStoreSuite.read(blob.key, in: store) == content)
    }

    @Test("In the same process the upload continues without copying, and the bytes are hashed once")
    func sameProcess() async throws {
        let fixture = try S3Fixture()
        let store = try await fixture.open()
        let (old, checkpoint) = try await begin(store, 12_000_000)
        _ = fixture.takeRequests()
        let writer = try await store.resume(checkpoint)
        #expect(writer.key == old.key)
        #expect(fixture.takeRequests() == [.getObject])
        try await BlobStoreSuite.write(Array(content[12_000_000...]), to: writer)
        let blob = try await writer.finish()
        #expect(blob.sha256 == BlobStoreSuite.sha256(content))
        #expect(!fixture.takeRequests().contains(.getObject))
    }
}
