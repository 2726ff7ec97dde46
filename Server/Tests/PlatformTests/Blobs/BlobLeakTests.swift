import Blobs
import Core
import Foundation
import NIOCore
import TestKit
import Testing

@Suite("Cleanup of abandoned blobs")
struct BlobLeakTests {
    /// Counts this process's open files below `folder`. Other tests use other folders.
    private func openFiles(below folder: String) -> Int {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.filter { descriptor in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))?.hasPrefix(folder + "/")
                == true
        }.count
    }

    /// A dropped writer cleans up on another thread; this waits for that.
    private func eventually(_ holds: () async throws -> Bool) async throws -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while try await !holds() {
            guard ContinuousClock.now < end else { return false }
            try await Task.sleep(for: .milliseconds(10))
        }
        return true
    }

    @Test("A dropped writer leaves neither file nor descriptor", arguments: [0, 1, 600_000, 3_000_000], StoragePair.allCases)
    func dropped(byteCount: Int, _ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let content = BlobStoreSuite.bytes(byteCount)
        for _ in 0..<8 {
            let writer = try await fixture.store.stage()
            try await BlobStoreSuite.write(content, to: writer)
        }
        #expect(try await eventually { try await fixture.staged().isEmpty && openFiles(below: fixture.folder.path) == 0 })
    }

    @Test("An aborted writer removes its file and descriptor at once", arguments: [0, 1, 600_000, 3_000_000], StoragePair.allCases)
    func aborted(byteCount: Int, _ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let content = BlobStoreSuite.bytes(byteCount)
        for _ in 0..<8 {
            let writer = try await fixture.store.stage()
            try await BlobStoreSuite.write(content, to: writer)
            await writer.abort()
            #expect(try await fixture.staged() == [])
            #expect(openFiles(below: fixture.folder.path) == 0)
        }
    }

    @Test("A task cancelled during an upload leaves nothing", arguments: StoragePair.allCases)
    func cancelled(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let store = fixture.store
        let upload = Task {
            let writer = try await store.stage()
            do {
                while true {
                    try Task.checkCancellation()
                    try await writer.append(ByteBuffer(repeating: 7, count: 65_536))
                }
            } catch {
                await writer.abort()
                throw error
            }
        }
        #expect(try await eventually { try await !fixture.staged().isEmpty })
        upload.cancel()
        await #expect(throws: CancellationError.self) { try await upload.value }
        #expect(try await fixture.staged() == [])
        #expect(openFiles(below: fixture.folder.path) == 0)
    }

    @Test("Dropping a finished writer keeps the bytes for the holder of the staged blob", arguments: StoragePair.allCases)
    func finished(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let staged = try await {
            let writer = try await fixture.store.stage()
            try await writer.append(ByteBuffer(string: "kept"))
            return try await writer.finish()
        }()
        #expect(openFiles(below: fixture.folder.path) == 0)
        try await fixture.store.publish([staged])
        #expect(try await BlobStoreSuite.read(staged.key, in: fixture.store) == Array("kept".utf8))
    }

    @Test("Readers close their descriptors", arguments: StoragePair.allCases)
    func readers(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let key = try await BlobStoreSuite.put(BlobStoreSuite.bytes(900_000), in: fixture.store).key
        for _ in 0..<50 {
            let reader = try await fixture.store.open(key)
            for try await _ in reader.chunks(in: 0..<reader.byteCount, chunkSize: 100_000) { break }
        }
        for try await _ in fixture.store.list(olderThan: nil) { break }
        #expect(try await eventually { openFiles(below: fixture.folder.path) == 0 })
    }
}
