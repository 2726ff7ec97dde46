import Blobs
import Core
import NIOCore
import Synchronization
import TestKit
import Testing

@Suite("Files of one upload that wait for their syncs")
struct UnsyncedFilesTests {
    /// Counts the files that are being synced, each of which takes a while.
    private final class SlowDisk: Sendable {
        private let state = Mutex((now: 0, most: 0))
        var most: Int { state.withLock { $0.most } }

        func sync<T>(_ body: () async throws -> T) async throws -> T {
            state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            defer { state.withLock { $0.now -= 1 } }
            try await Task.sleep(for: .milliseconds(50))
            return try await body()
        }
    }

    private struct SlowStore: BlobStoreDecorator {
        let base: any BlobStore
        let disk: SlowDisk

        func stage(isResumable: Bool) async throws -> any BlobWriter {
            SlowWriter(base: try await base.stage(isResumable: isResumable), disk: disk)
        }
    }

    private final class SlowWriter: BlobWriter {
        let base: any BlobWriter
        let disk: SlowDisk

        init(base: any BlobWriter, disk: SlowDisk) {
            self.base = base
            self.disk = disk
        }

        var key: BlobKey { base.key }
        func append(_ bytes: ByteBuffer) async throws { try await base.append(bytes) }
        func writeOut() async { await base.writeOut() }
        func checkpoint() async throws -> BlobCheckpoint { try await base.checkpoint() }
        func finish() async throws -> StagedBlob { try await disk.sync { try await base.finish() } }
        func abort() async { await base.abort() }
    }

    /// Uploads ten files in one request.
    /// - Returns: how many of them were synced at the same time.
    private func upload(_ byteCount: Int) async throws -> Int {
        let folder = try TemporaryFolder()
        let store = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let disk = SlowDisk()
        let kind = UploadRules.FileKind(
            fields: ["file"], maxCount: 10, maxByteCount: 1_048_576, windowByteCount: 64, tailByteCount: 16, types: ["text/plain"],
            refusal: Problem(.unprocessable, "Not allowed."), recognise: { _, _ in nil }, conclude: { _ in "text/plain" })
        let rules = UploadRules(kinds: [kind], textFields: [], keepsTheOthers: true)
        let session = UploadSession(rules: rules, gate: UploadGate(store: SlowStore(base: store, disk: disk)), owner: "ada")
        for number in 0..<10 {
            try session.begin(field: "file", fileName: "\(number)")
            try await session.append(ByteBuffer(repeating: UInt8(ascii: "a"), count: byteCount))
            try await session.end()
        }
        let received = try await session.finish()
        #expect(received.files.count == 10)
        await store.close()
        return disk.most
    }

    @Test("large files wait for the syncs of earlier ones, because their last bytes are in memory until then")
    func large() async throws {
        let most = try await upload(500_000)
        #expect(most <= 2)
    }

    @Test("small files do not wait")
    func small() async throws {
        let most = try await upload(50_000)
        #expect(most > 2)
    }
}
