import Blobs
import Core
import NIOCore
import NIOPosix

extension BlobStoreSuite {
    static let reading: [Check] = [
        Check("Every range is exact, at every boundary of pieces and file") { store, _ in
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
                }
            }
        },
        Check("What is read at once, or on an event loop, is what was written; beyond the end it is an error") { store, _ in
            let content = bytes(300_000)
            let staged = try await put(content, in: store)
            let reader = try await store.open(staged.key)
            let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
            var position: Int64 = 0
            while position < reader.byteCount {
                let range = position..<min(position + 70_001, reader.byteCount)
                let read = try await reader.read(range, on: eventLoop).get()
                try expectEqual(Array(read.readableBytesView), Array(content[Int(range.lowerBound)..<Int(range.upperBound)]))
                // It is in memory now, if the engine can tell at all; and it may be a part of what was asked for.
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
        Check("Pieces have the size that was asked for, and the last one what is left") { store, _ in
            let staged = try await put(bytes(2500), in: store)
            let reader = try await store.open(staged.key)
            var sizes: [Int] = []
            for try await chunk in reader.chunks(in: 100..<2500, chunkSize: 1000) { sizes.append(chunk.readableBytes) }
            try expectEqual(sizes, [1000, 1000, 400])
        },
        Check("A range beyond the end is cut to what there is") { store, _ in
            let content = bytes(300)
            let staged = try await put(content, in: store)
            let reader = try await store.open(staged.key)
            try expectEqual(try await read(reader, 200..<1000), Array(content[200...]))
            try expectEqual(try await read(reader, 300..<1000), [])
            try expectEqual(try await read(reader, 5000..<6000), [])
        },
        Check("One reader serves many at once, and one sequence many times") { store, _ in
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
        Check("Whoever stops reading early disturbs nobody") { store, _ in
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
        Check("A key nobody has written is missing") { store, _ in
            let key = BlobKey(entropy: .system)
            try await expectThrows(.missing(key)) { try await store.open(key) }
        },
    ]
}
