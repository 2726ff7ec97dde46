import Blobs
import Core
import Crypto
import Database
import Foundation
import NIOCore
import S3Blobs
import Synchronization
import TestKit
import Testing

@testable import Transfer

@Suite("Copied bytes, when a copy fails or finds other bytes")
struct BlobMoverFaultTests {
    private struct Stopped: Error {}

    /// Rows, and the bytes that the source has for them.
    private struct Contents {
        let rows: [BlobRow]
        let bytes: [BlobKey: [UInt8]]

        init(_ count: Int) throws {
            let all = (0..<count).map { BlobStoreSuite.bytes(1_000, seed: UInt64($0)) }
            rows = try all.map { bytes in
                try BlobRow(
                    [
                        .text(BlobKey(entropy: .system).text), .text(Hex.encode(SHA256.hash(data: bytes))),
                        .integer(Int64(bytes.count)), .text("live"),
                    ],
                    ["key", "sha256", "byte_count", "state"])
            }
            bytes = Dictionary(uniqueKeysWithValues: zip(rows.map(\.key), all))
        }

        var open: @Sendable (BlobRow) async throws -> (any ByteSource)? {
            { [bytes] blob in bytes[blob.key].map { OnePiece(ByteBuffer(bytes: $0)) } }
        }
    }

    @Test("a file that the disk of the source cannot read is damaged, and the others are copied")
    func unreadable() async throws {
        let folder = try TemporaryFolder()
        let contents = try Contents(3)
        let target = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let errors: [any Error] = [
            BlobError.system(operation: "reading a blob", code: EIO), TransferFailure(.damaged, "reading a file of the backup failed"),
        ]
        let failing = Dictionary(uniqueKeysWithValues: zip(contents.rows.map(\.key), errors))
        let mover = BlobMover(
            open: { [open = contents.open] blob in
                guard let error = failing[blob.key] else { return try await open(blob) }
                return FailingBytes(error)
            }, target: target
        ) { _ in }
        let moved = try await mover.move(contents.rows)
        #expect(moved.count == 1 && Set(moved.damaged) == Set(failing.keys))
        await target.close()
    }

    @Test("a run that ends in the middle of a batch keeps the files that it has copied, and the next run copies the rest")
    func interrupted() async throws {
        let folder = try TemporaryFolder()
        let contents = try Contents(5)
        let target = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let early = contents.rows.prefix(4).map(\.key)
        let stopping = BlobMover(
            open: { [open = contents.open, last = contents.rows[4].key] blob in
                guard blob.key == last else { return try await open(blob) }
                for _ in 0..<5_000 {
                    var count = 0
                    for key in early where (try? await target.open(key)) != nil { count += 1 }
                    if count == early.count { break }
                    try await Task.sleep(for: .milliseconds(1))
                }
                throw Stopped()
            },
            target: target, publishedByteCount: 2_000
        ) { _ in }
        await #expect(throws: Stopped.self) { try await stopping.move(contents.rows) }
        await target.close()

        let reopened = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let mover = BlobMover(open: contents.open, target: reopened) { _ in }
        #expect(try await mover.move(contents.rows).count == 1)
        #expect(try await mover.move(contents.rows).count == 0)
        await reopened.close()
        withExtendedLifetime(folder) {}
    }

    @Test("an object that another program has stored stays when its bytes are right, and is replaced when they are not")
    func objectsOfOthers() async throws {
        let folder = try TemporaryFolder()
        let bucket = try TestBucket()
        let deletions = Mutex(0)
        let contents = try Contents(4)
        let bytes = contents.rows.compactMap { contents.bytes[$0.key] }
        // The first blob is right, the second has the right length but wrong bytes, the third is too short, and the last is missing.
        for (row, stored) in zip(contents.rows, [bytes[0], bytes[0], Array(bytes[2].dropLast())]) {
            try await bucket.put("blobs/" + row.key.text, stored)
        }
        try await withStore(bucket, folder.path, { if $0 == .deleteObject { deletions.withLock { $0 += 1 } } }) { store in
            let mover = BlobMover(open: contents.open, target: store) { _ in }
            let moved = try await mover.move(contents.rows)
            #expect(moved.count == 3 && moved.missing == [] && moved.damaged == [])
        }
        #expect(deletions.withLock { $0 } == 2)
        for (row, bytes) in zip(contents.rows, bytes) { #expect(try await bucket.get("blobs/" + row.key.text) == bytes) }
        withExtendedLifetime(folder) {}
    }

    @Test("a copy that fails deletes no object under a key that another store made")
    func keptObject() async throws {
        let folder = try TemporaryFolder()
        let bucket = try TestBucket()
        let contents = try Contents(1)
        let name = "blobs/" + contents.rows[0].key.text
        try await bucket.put(name, [1, 2, 3])
        try await withStore(bucket, folder.path) { store in
            let writer = try await store.stage(as: contents.rows[0].key)
            try await writer.append(ByteBuffer(bytes: [4, 5, 6]))
            await #expect(throws: BlobError.self) { try await writer.finish() }
            await writer.abort()
        }
        #expect(try await bucket.get(name) == [1, 2, 3])
        withExtendedLifetime(folder) {}
    }

    @Test("what the target's store loses is not reported as missing at the source")
    func lostByTarget() async throws {
        let folder = try TemporaryFolder()
        let contents = try Contents(1)
        let inner = try await LocalBlobStore.open(folder: folder.path, removingLeftovers: true)
        let mover = BlobMover(open: contents.open, target: LosingStore(base: inner)) { _ in }
        let failure = await #expect(throws: TransferFailure.self) { try await mover.move(contents.rows) }
        #expect(failure?.kind == .unavailable)
        await inner.close()
        withExtendedLifetime(folder) {}
    }

    private func withStore(
        _ bucket: TestBucket, _ scratchFolder: String, _ requested: @escaping @Sendable (S3Operation) -> Void = { _ in },
        _ body: (S3BlobStore) async throws -> Void
    ) async throws {
        var options = S3BlobStore.Options()
        options.observe = { if !$0.isBody { requested($0.operation) } }
        let store = try await bucket.open(scratchFolder: scratchFolder, options: options)
        try await body(store)
        await store.close()
    }
}

/// A store that loses the bytes sent to it, like a store that ends unfinished uploads by itself.
private struct LosingStore: BlobStoreDecorator {
    private final class Writer: BlobWriter {
        let key: BlobKey

        init(_ key: BlobKey) { self.key = key }

        func append(_ bytes: ByteBuffer) async throws {}
        func writeOut() async {}
        func checkpoint() async throws -> BlobCheckpoint { throw BlobError.notResumable }
        func finish() async throws -> StagedBlob { throw BlobError.missing(key) }
        func abort() async {}
    }

    let base: any BlobStore

    func stage(isResumable: Bool) async throws -> any BlobWriter { Writer(BlobKey(entropy: .system)) }
    func stage(as key: BlobKey) async throws -> any BlobWriter { Writer(key) }
    func resume(_ checkpoint: BlobCheckpoint) async throws -> any BlobWriter { Writer(checkpoint.key) }
}

/// Bytes that cannot be read.
final class FailingBytes: ByteSource {
    private let error: any Error

    init(_ error: any Error) { self.error = error }

    func next() async throws -> ByteBuffer? { throw error }
}
