import Blobs
import Core
import NIOCore

extension BlobStoreSuite {
    static let writing: [Check] = [
        Check("Bytes, count and hash match what was written, for all sizes of file and chunks") { store, clock in
            let sizes = [0, 1, 65_535, 65_536, 65_537, 524_287, 524_288, 524_289, 1_048_575, 1_048_576, 1_048_577, 5_242_880]
            for (index, size) in sizes.enumerated() {
                let content = bytes(size, seed: UInt64(index + 1))
                for chunks in [[65_536], [1_000, 70_001, 3], [262_144, 1], [3_000_000]] {
                    let staged = try await put(content, in: store, chunks: chunks)
                    try expectEqual(staged.byteCount, Int64(size))
                    try expectEqual(staged.sha256, sha256(content))
                    try expectEqual(staged.stagedAt, clock.now)
                    try expect(try await read(staged.key, in: store) == content, "\(size) bytes in \(chunks) came back changed")
                }
            }
        },
        Check("A blob written byte by byte is complete") { store, _ in
            let content = bytes(20_000)
            let staged = try await put(content, in: store, chunks: [1])
            try expect(try await read(staged.key, in: store) == content, "other bytes came back")
        },
        Check("The caller may change a buffer after appending it") { store, _ in
            let writer = try await store.stage()
            var buffer = ByteBuffer(repeating: 1, count: 100_000)
            try await writer.append(buffer)
            buffer.setRepeatingByte(2, count: 100_000, at: 0)
            try await writer.append(buffer)
            let staged = try await writer.finish()
            try expectEqual(staged.sha256, sha256([UInt8](repeating: 1, count: 100_000) + [UInt8](repeating: 2, count: 100_000)))
            await writer.abort()
        },
        Check("Bytes that are written out early are the same bytes") { store, _ in
            let content = bytes(6_000_000)
            let writer = try await store.stage()
            var rest = content[...]
            for (number, count) in [1, 70_000, 524_288, 300_000, 4_400_000, 5].enumerated() {
                try await writer.append(ByteBuffer(bytes: rest.prefix(count)))
                rest = rest.dropFirst(count)
                for _ in 0..<(number % 3) { await writer.writeOut() }
            }
            try await writer.append(ByteBuffer(bytes: rest))
            await writer.writeOut()
            let staged = try await writer.finish()
            try expectEqual(staged.byteCount, Int64(content.count))
            try expectEqual(staged.sha256, sha256(content))
            try await store.publish([staged])
            try expect(try await read(staged.key, in: store) == content, "other bytes came back")
        },
        Check("Many blobs are written concurrently without mixing their bytes") { store, _ in
            let blobs = try await withThrowingTaskGroup(of: (Int, StagedBlob).self) { group in
                for number in 0..<24 {
                    group.addTask { (number, try await put(bytes(700_000 + number * 50_001, seed: UInt64(number + 1)), in: store)) }
                }
                var blobs: [Int: StagedBlob] = [:]
                for try await (number, blob) in group { blobs[number] = blob }
                return blobs
            }
            try expectEqual(Set(blobs.values.map(\.key)).count, 24)
            for (number, blob) in blobs {
                let content = bytes(700_000 + number * 50_001, seed: UInt64(number + 1))
                try expectEqual(blob.sha256, sha256(content))
                try expect(try await read(blob.key, in: store) == content, "other bytes came back")
            }
        },
        Check("An unfinished blob cannot be opened and is not listed") { store, _ in
            let writer = try await store.stage()
            try await write(bytes(6_000_000), to: writer)
            try await expectThrows(.missing(writer.key)) { try await store.open(writer.key) }
            try expectEqual(try await list(store), [])
            await writer.abort()
        },
        Check("A finished blob can be read before it is published") { store, _ in
            for size in [0, 1_000, 6_000_000] {
                let content = bytes(size)
                let writer = try await store.stage()
                try await write(content, to: writer)
                let staged = try await writer.finish()
                let reader = try await store.openStaged(staged.key)
                try expectEqual(reader.byteCount, Int64(size))
                try expect(try await read(reader, 0..<reader.byteCount) == content, "other bytes came back")
                await writer.abort()
            }
        },
        Check("Aborting deletes a blob, before and after it is finished") { store, _ in
            for finishes in [false, true] {
                let writer = try await store.stage()
                try await write(bytes(2_000_000), to: writer)
                let staged = finishes ? try await writer.finish() : nil
                await writer.abort()
                await writer.abort()
                if let staged { try await expectThrows(.missing(writer.key)) { try await store.publish([staged]) } }
                try await expectThrows(.ended) { try await writer.append(ByteBuffer(string: "more")) }
                try await expectThrows(.ended) { try await writer.finish() }
            }
            try expectEqual(try await list(store), [])
        },
        Check("A finished writer rejects more bytes") { store, _ in
            let writer = try await store.stage()
            _ = try await writer.finish()
            try await expectThrows(.ended) { try await writer.append(ByteBuffer(string: "more")) }
            try await expectThrows(.ended) { try await writer.finish() }
            await writer.abort()
        },
        Check("Aborting after publishing does not delete the published blob") { store, _ in
            let writer = try await store.stage()
            try await writer.append(ByteBuffer(string: "kept"))
            try await store.publish([try await writer.finish()])
            await writer.abort()
            try expectEqual(try await read(writer.key, in: store), Array("kept".utf8))
        },
    ]
}
