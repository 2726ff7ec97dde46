import Blobs
import Core
import NIOCore
import NIOPosix

extension BlobStoreSuite {
    static let reading: [Check] = [
        Check("Every range is exact, at every boundary of chunks and file") { store, _ in
            let size = 10_007
            let content = bytes(size)
            let staged = try await put(content, in: store)
            let reader = try await store.open(staged.key)
            try expectEqual(reader.key, staged.key)
            try expectEqual(reader.byteCount, Int64(size))
            let edges = [0, 1, 999, 1000, 1001, 4999, 5000, 5001, 9999, 10_000, 10_001, size - 1, size]
            for start in edges {
                for end in edges where end >= start {
                    let found = try await read(reader, Int64(start)..<Int64(end), chunkSize: 1000)
                    try expect(found == Array(content[start..<end]), "\(start)..<\(end) is not what was written")
                    let streamed = try await stream(reader, Int64(start)..<Int64(end))
                    try expect(streamed == nil || streamed == found, "\(start)..<\(end) is not what was written, read as a stream")
                }
            }
        },
        Check("Synchronous and event loop reads return the written bytes, and fail beyond the end") { store, _ in
            let content = bytes(300_000)
            let staged = try await put(content, in: store)
            let reader = try await store.open(staged.key)
            let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
            var position: Int64 = 0
            while position < reader.byteCount {
                let range = position..<min(position + 70_001, reader.byteCount)
                let read = try await reader.read(range, on: eventLoop).get()
                try expectEqual(Array(read.readableBytesView), Array(content[Int(range.lowerBound)..<Int(range.upperBound)]))
                // The range may be in memory now, if the engine can tell. A cached read may return only the beginning of the range.
                var cached = ByteBuffer(string: "before")
                if reader.readCached(range, into: &cached) {
                    let found = Array(cached.readableBytesView.dropFirst(6))
                    try expect(!found.isEmpty && found.count <= range.count, "\(found.count) bytes were read at once")
                    try expectEqual(found, Array(content[Int(range.lowerBound)...].prefix(found.count)))
                }
                position = range.upperBound
            }
            var nothing = ByteBuffer()
            try expect(!reader.readCached(reader.byteCount..<reader.byteCount + 10, into: &nothing), "bytes beyond the end")
            try await expectThrows(.truncated(staged.key)) {
                try await reader.read(reader.byteCount - 10..<reader.byteCount + 10, on: eventLoop).get()
            }
        },
        Check("Chunks have the requested size, and the last one holds the rest") { store, _ in
            let staged = try await put(bytes(2500), in: store)
            let reader = try await store.open(staged.key)
            var sizes: [Int] = []
            for try await chunk in reader.chunks(in: 100..<2500, chunkSize: 1000) { sizes.append(chunk.readableBytes) }
            try expectEqual(sizes, [1000, 1000, 400])
        },
        Check("A range beyond the end is clamped to the blob's size") { store, _ in
            let content = bytes(300)
            let staged = try await put(content, in: store)
            let reader = try await store.open(staged.key)
            try expectEqual(try await read(reader, 200..<1000), Array(content[200...]))
            try expectEqual(try await read(reader, 300..<1000), [])
            try expectEqual(try await read(reader, 5000..<6000), [])
        },
        Check("A reader serves concurrent callers, and a sequence can be iterated repeatedly") { store, _ in
            let content = bytes(1_500_000)
            let staged = try await put(content, in: store)
            let reader = try await store.open(staged.key)
            let chunks = reader.chunks(in: 0..<reader.byteCount, chunkSize: 100_000)
            try await withThrowingTaskGroup(of: [UInt8].self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        var found = ByteBuffer()
                        for try await chunk in chunks { found.writeImmutableBuffer(chunk) }
                        return found.getBytes(at: 0, length: found.readableBytes) ?? []
                    }
                }
                for try await found in group { try expect(found == content, "a reader among many read other bytes") }
            }
        },
        Check("A caller that stops reading early does not affect other callers") { store, _ in
            let content = bytes(1_500_000)
            let staged = try await put(content, in: store)
            let reader = try await store.open(staged.key)
            for _ in 0..<20 {
                for try await chunk in reader.chunks(in: 0..<reader.byteCount, chunkSize: 10_000) {
                    try expectEqual(chunk.readableBytes, 10_000)
                    break
                }
            }
            try expect(try await read(reader, 0..<reader.byteCount) == content, "other bytes came back")
        },
        Check("Opening a key that was never written throws .missing") { store, _ in
            let key = BlobKey(entropy: .system)
            try await expectThrows(.missing(key)) { try await store.open(key) }
        },
    ]
}
