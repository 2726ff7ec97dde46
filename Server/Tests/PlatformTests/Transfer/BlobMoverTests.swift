import Blobs
import Core
import Crypto
import Database
import NIOCore
import S3Blobs
import Synchronization
import TestKit
import Testing

@testable import Transfer

@Suite("Copied bytes")
struct BlobMoverTests {
    private static func row(_ byteCount: Int64, _ bytes: [UInt8] = []) throws -> BlobRow {
        let hash = Hex.encode(SHA256.hash(data: bytes))
        return try BlobRow(
            [.text(BlobKey(entropy: .system).text), .text(hash), .integer(byteCount), .text("live")],
            ["key", "sha256", "byte_count", "state"])
    }

    @Test("many small blobs are copied at the same time, few large ones, and one of any size")
    func window() throws {
        func startedTogether(_ sizes: [Int64]) throws -> Int {
            var window = BlobWindow(try sizes.map { try Self.row($0) })
            var started = 0
            while window.next() != nil { started += 1 }
            return started
        }
        #expect(try startedTogether(Array(repeating: 100_000, count: 100)) == BlobWindow.mostBlobs)
        #expect(try startedTogether(Array(repeating: 500 << 20, count: 100)) == 8)
        #expect(try startedTogether([500 << 20, 0]) == 2)
        #expect(try startedTogether([]) == 0)
    }

    @Test("each blob is copied once, in the order of the batch, and never more at the same time than the window allows")
    func order() throws {
        let rows = try (0..<200).map { try Self.row($0 % 3 == 0 ? 3 << 20 : 10_000) }
        var window = BlobWindow(rows)
        var (running, started): ([BlobRow], [BlobRow]) = ([], [])
        while true {
            while let blob = window.next() {
                running.append(blob)
                started.append(blob)
                #expect(running.count <= BlobWindow.mostBlobs)
                #expect(running.reduce(0) { $0 + min($1.byteCount, BlobWindow.countedByteCount) } <= BlobWindow.mostBytes)
            }
            guard let blob = running.popLast() else { break }
            window.ended(blob)
        }
        #expect(started == rows)
    }

    @Test("a copy into an object store costs one request for each small blob, also when a killed run has stored it already")
    func requests() async throws {
        let folder = try TemporaryFolder()
        let bucket = try TestBucket()
        let counted = CountedRequests()
        var options = S3BlobStore.Options()
        options.observe = { if !$0.isBody { counted.add($0.operation) } }
        let store = try await bucket.open(scratchFolder: folder.path, options: options)
        let contents = (0..<40).map { BlobStoreSuite.bytes(1_000 + $0, seed: UInt64($0)) }
        let rows = try contents.map { try Self.row(Int64($0.count), $0) }
        let bytes = Dictionary(uniqueKeysWithValues: zip(rows.map(\.key), contents))
        let mover = BlobMover(open: { blob in bytes[blob.key].map { OnePiece(ByteBuffer(bytes: $0)) } }, target: store) { _ in }
        #expect(try await mover.move(rows).count == 40)
        let first = counted.taken()
        #expect(first[.getObject] == nil && first[.headObject] == nil && first[.putObject].map { $0 >= 40 } == true, "\(first)")
        // Moves the same blobs again, as if the run had been killed before it wrote their rows.
        let again = try await mover.move(rows)
        #expect(again.count == 40 && again.missing == [] && again.damaged == [])
        #expect(counted.taken()[.getObject] == nil)
        for row in rows {
            let reader = try await store.open(row.key)
            var read: [UInt8] = []
            for try await chunk in reader.chunks(in: 0..<reader.byteCount) { read += chunk.readableBytesView }
            #expect(read == bytes[row.key])
        }
        // A repeated restore expects nearly all bytes to be there, and sends none of them.
        _ = counted.taken()
        let restored = BlobMover(open: mover.open, target: store, expectsBytes: true) { _ in }
        #expect(try await restored.move(rows).count == 0)
        #expect(counted.taken() == [.getObject: 40])
        await store.close()
        withExtendedLifetime(bucket) {}
        withExtendedLifetime(folder) {}
    }

    @Test("a copy out of an object store costs one request for each file, and a missing and a shortened one are found")
    func reads() async throws {
        let folder = try TemporaryFolder()
        let bucket = try TestBucket()
        let counted = CountedRequests()
        var options = S3BlobStore.Options()
        options.observe = { if !$0.isBody { counted.add($0.operation) } }
        options.firstPause = .milliseconds(1)
        let store = try await bucket.open(scratchFolder: folder.path, options: options)
        let target = try await LocalBlobStore.open(folder: folder.path + "/target", removingLeftovers: true)
        // `BlobStore.open` receives the first 64 KiB of a file.
        let contents = [0, 1, 65_536, 65_537, 200_000, 300_000].map { BlobStoreSuite.bytes($0) }
        let rows = try contents.map { try Self.row(Int64($0.count), $0) }
        let bytes = Dictionary(uniqueKeysWithValues: zip(rows.map(\.key), contents))
        let filling = BlobMover(open: { blob in bytes[blob.key].map { OnePiece(ByteBuffer(bytes: $0)) } }, target: store) { _ in }
        #expect(try await filling.move(rows).count == 6)
        _ = counted.taken()
        let stores = try TestStores(.sqlite)
        let database = try await stores.open()
        let source = TransferSource(
            database: database, store: store, rules: TableRules([BlobLedger.self], indexes: []),
            identifiers: Identifiers(clock: .system, entropy: .system), program: "test")
        let mover = BlobMover(open: { try await source.open($0) }, target: target) { _ in }
        #expect(try await mover.move(rows).count == 6)
        // The empty file needs no request.
        #expect(counted.taken() == [.getObject: 5])

        try await store.delete(rows[3].key)
        try await bucket.put("blobs/" + rows[4].key.text, Array(contents[4].dropLast()))
        for row in rows { try await target.delete(row.key) }
        let moved = try await mover.move(rows)
        #expect(moved.count == 4 && moved.missing == [rows[3].key] && moved.damaged == [rows[4].key])
        try await database.close()
        await store.close()
        await target.close()
        withExtendedLifetime((stores, bucket)) {}
        withExtendedLifetime(folder) {}
    }
}

private final class CountedRequests: Sendable {
    private let counts = Mutex<[S3Operation: Int]>([:])

    func add(_ operation: S3Operation) { counts.withLock { $0[operation, default: 0] += 1 } }

    /// The requests since the last call.
    func taken() -> [S3Operation: Int] {
        counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
    }
}
