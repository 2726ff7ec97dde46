package import Blobs
package import Core
import Crypto
import NIOCore
import NIOPosix

/// The checks that every blob store must pass. Any test target can run them:
///
///     @Test(arguments: BlobEngine.allCases, BlobStoreSuite.checks)
///     func holds(_ engine: BlobEngine, _ check: BlobStoreSuite.Check) async throws {
///         let place = try BlobLocation(engine)
///         try await check.run { clock in try await place.open(clock) }
///     }
package enum BlobStoreSuite: ConformanceSuite {
    /// Opens an empty store that reads the time from `clock`.
    package typealias Opener = @Sendable (_ clock: WallClock) async throws -> any BlobStore

    package struct Check: Sendable, CustomStringConvertible {
        /// States what the check verifies.
        package let description: String
        let body: @Sendable (any BlobStore, TestClock) async throws -> Void

        init(_ description: String, _ body: @escaping @Sendable (any BlobStore, TestClock) async throws -> Void) {
            self.description = description
            self.body = body
        }

        package func run(_ open: Opener) async throws {
            // The clock starts at the real time, because a remote store dates its objects by its own clock.
            let clock = TestClock(WallClock.system.now)
            try await body(try await open(clock.wall), clock)
        }
    }

    package static let checks: [Check] = writing + reading + keeping + resuming

    /// Further checks for a store that keeps a complete blob apart until it is published. In an object store, a complete blob has its final
    /// name at once, and only its row makes it live.
    package static let keepingApart: [Check] = apart

    package typealias Failure = ConformanceFailure

    static func expectThrows(_ expected: BlobError, line: Int = #line, _ body: () async throws -> some Any) async throws {
        do {
            _ = try await body()
        } catch let error as BlobError where error == expected {
            return
        } catch {
            throw Failure(description: "\(error) was thrown, not \(expected) (line \(line))")
        }
        throw Failure(description: "nothing was thrown (line \(line))")
    }

    // MARK: Bytes

    /// Pseudorandom bytes, so that no pattern hides a chunking mistake. The same seed yields the same bytes.
    package static func bytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count + 8) { buffer, used in
            var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
            // Eight bytes at a time, since tests run unoptimised.
            for offset in stride(from: 0, to: count, by: 8) {
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                UnsafeMutableRawBufferPointer(buffer).storeBytes(of: state, toByteOffset: offset, as: UInt64.self)
            }
            used = count
        }
    }

    package static func sha256(_ bytes: [UInt8]) -> String { Hex.encode(SHA256.hash(data: bytes)) }

    /// - Parameter chunks: sizes of the chunks in bytes, repeated cyclically.
    package static func write(_ bytes: [UInt8], to writer: any BlobWriter, chunks: [Int] = [65_536]) async throws {
        var rest = ByteBuffer(bytes: bytes)
        var turn = 0
        while let chunk = rest.readSlice(length: min(chunks[turn % chunks.count], rest.readableBytes)), chunk.readableBytes > 0 {
            try await writer.append(chunk)
            turn += 1
        }
    }

    /// Stages, finishes and publishes a blob.
    package static func put(_ bytes: [UInt8], in store: any BlobStore, chunks: [Int] = [65_536]) async throws -> StagedBlob {
        let writer = try await store.stage()
        try await write(bytes, to: writer, chunks: chunks)
        let staged = try await writer.finish()
        try await store.publish([staged])
        return staged
    }

    package static func read(_ reader: any BlobReader, _ range: Range<Int64>, chunkSize: Int = 262_144) async throws -> [UInt8] {
        var bytes = ByteBuffer()
        for try await chunk in reader.chunks(in: range, chunkSize: chunkSize) { bytes.writeImmutableBuffer(chunk) }
        return bytes.getBytes(at: 0, length: bytes.readableBytes) ?? []
    }

    package static func read(_ key: BlobKey, in store: any BlobStore) async throws -> [UInt8] {
        let reader = try await store.open(key)
        let bytes = try await read(reader, 0..<reader.byteCount)
        if let streamed = try await stream(reader, 0..<reader.byteCount) {
            try expect(streamed == bytes, "a stream of \(bytes.count) bytes has other bytes")
        }
        return bytes
    }

    /// Reads `range` as a stream.
    /// - Returns: `nil` if the store's blobs are local.
    package static func stream(_ reader: any BlobReader, _ range: Range<Int64>) async throws -> [UInt8]? {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        guard let stream = reader.stream(range, on: eventLoop) else { return nil }
        defer { stream.end() }
        var bytes = ByteBuffer()
        while let piece = try await eventLoop.flatSubmit({ stream.next() }).get() { bytes.writeImmutableBuffer(piece) }
        return bytes.getBytes(at: 0, length: bytes.readableBytes) ?? []
    }

    package static func list(_ store: any BlobStore, olderThan limit: Timestamp? = nil) async throws -> Set<BlobKey> {
        var keys: Set<BlobKey> = []
        for try await entries in store.list(olderThan: limit) {
            try expect(!entries.isEmpty, "an empty batch was listed")
            for entry in entries { try expect(keys.insert(entry.key).inserted, "\(entry.key) was listed twice") }
        }
        return keys
    }
}
