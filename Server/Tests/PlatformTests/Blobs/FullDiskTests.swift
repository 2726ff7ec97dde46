import Blobs
import Core
import Foundation
import NIOCore
import TestKit
import TestThreads
import Testing

@Suite("Blobs on a full disk", .blocksThreads)
struct FullDiskTests {
    @Test(
        "A full disk is reported as full, the failed write leaves nothing behind, and its space is free again",
        .enabled(if: geteuid() == 0, "only root can mount a file system of 4 MB"))
    func full() async throws {
        let disk = try SmallDisk(megabytes: 4)
        defer { withExtendedLifetime(disk) {} }
        let path = disk.path
        let store = try await LocalBlobStore.open(folder: path, removingLeftovers: true)
        let kept = try await BlobStoreSuite.put(BlobStoreSuite.bytes(1_000_000), in: store)
        let free = try await store.freeByteCount()
        #expect(free < 4 << 20)
        for _ in 0..<3 {
            let writer = try await store.stage()
            await #expect(throws: BlobError.full) {
                try await BlobStoreSuite.write(BlobStoreSuite.bytes(8_000_000), to: writer)
                _ = try await writer.finish()
            }
            // The space is free while the failed writer still exists, not only after it is released.
            #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/blobs/tmp") == [])
            #expect(try await store.freeByteCount() == free)
            await #expect(throws: BlobError.full) { try await writer.append(ByteBuffer(string: "more")) }
            await writer.abort()
        }
        #expect(try await BlobStoreSuite.read(kept.key, in: store) == BlobStoreSuite.bytes(1_000_000))
        let next = try await BlobStoreSuite.put(BlobStoreSuite.bytes(1_000_000, seed: 2), in: store)
        #expect(next.byteCount == 1_000_000)
        await store.close()
    }

    @Test(
        "Blobs, large and small, leave the space free that is kept for the database",
        .enabled(if: geteuid() == 0, "only root can mount a file system of 4 MB"))
    func keptFree() async throws {
        let disk = try SmallDisk(megabytes: 4)
        defer { withExtendedLifetime(disk) {} }
        let path = disk.path
        let store = try await LocalBlobStore.open(folder: path, removingLeftovers: true, keptFree: 2 << 20)
        let writer = try await store.stage()
        await #expect(throws: BlobError.full) {
            try await BlobStoreSuite.write(BlobStoreSuite.bytes(3_000_000), to: writer)
            _ = try await writer.finish()
        }
        await writer.abort()
        #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/blobs/tmp") == [])
        // Small blobs: the store writes their bytes only when they are finished.
        var count = 0
        await #expect(throws: BlobError.full) {
            while count < 20 {
                _ = try await BlobStoreSuite.put(BlobStoreSuite.bytes(200_000, seed: UInt64(count + 1)), in: store)
                count += 1
            }
        }
        #expect(count > 4)
        #expect(try await store.freeByteCount() >= 2 << 20)
        // The database can use the space that the blobs left free.
        try Data(count: 1 << 20).write(to: URL(filePath: path + "/database"))
        await store.close()
    }
}
