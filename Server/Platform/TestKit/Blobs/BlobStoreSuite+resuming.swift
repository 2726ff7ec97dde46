import Blobs
import Core
import NIOCore

extension BlobStoreSuite {
    static let resuming: [Check] = [
        Check("A blob that is resumed at its checkpoints again and again is complete") { store, clock in
            let content = bytes(3_000_000)
            var written = 0
            var writer = try await store.stage(isResumable: true)
            let key = writer.key
            for length in [1, 65_536, 524_288, 700_001, 3, 1_000_000] {
                try await write(Array(content[written..<written + length]), to: writer)
                written += length
                let checkpoint = try await writer.checkpoint()
                try expectEqual(checkpoint, BlobCheckpoint(key: key, byteCount: Int64(written), stagedAt: clock.now))
                // Bytes after a checkpoint are discarded.
                try await write(bytes(200_000, seed: 9), to: writer)
                writer = try await store.resume(checkpoint)
            }
            try await write(Array(content[written...]), to: writer)
            let staged = try await writer.finish()
            try expectEqual(staged.byteCount, 3_000_000)
            try expectEqual(staged.sha256, sha256(content))
            try await store.publish([staged])
            try expect(try await read(key, in: store) == content, "other bytes came back")
        },
        Check("Writing can continue after a checkpoint") { store, _ in
            let content = bytes(2_000_000)
            let writer = try await store.stage(isResumable: true)
            for start in stride(from: 0, to: content.count, by: 50_000) {
                try await write(Array(content[start..<start + 50_000]), to: writer)
                if start % 200_000 == 0 { _ = try await writer.checkpoint() }
            }
            try expectEqual(try await writer.finish().sha256, sha256(content))
            await writer.abort()
        },
        Check("An empty checkpoint is resumed as an empty blob") { store, _ in
            let checkpoint = try await store.stage(isResumable: true).checkpoint()
            try expectEqual(checkpoint.byteCount, 0)
            let writer = try await store.resume(checkpoint)
            try await writer.append(ByteBuffer(string: "all of it"))
            try expectEqual(try await writer.finish().byteCount, 9)
            await writer.abort()
        },
        Check("Resuming ends the earlier writer, which can write no more") { store, _ in
            let old = try await store.stage(isResumable: true)
            try await old.append(ByteBuffer(repeating: 1, count: 100_000))
            let checkpoint = try await old.checkpoint()
            try await old.append(ByteBuffer(repeating: 2, count: 900_000))
            let new = try await store.resume(checkpoint)
            try await expectThrows(.ended) { try await old.append(ByteBuffer(repeating: 3, count: 10)) }
            try await expectThrows(.ended) { try await old.checkpoint() }
            try await new.append(ByteBuffer(repeating: 4, count: 50_000))
            let staged = try await new.finish()
            try expectEqual(staged.sha256, sha256([UInt8](repeating: 1, count: 100_000) + [UInt8](repeating: 4, count: 50_000)))
            await new.abort()
        },
        Check("A blob that was aborted or staged more than 24 hours ago cannot be resumed") { store, clock in
            let aborted = try await store.stage(isResumable: true)
            try await aborted.append(ByteBuffer(string: "some"))
            let gone = try await aborted.checkpoint()
            await aborted.abort()
            try await expectThrows(.missing(gone.key)) { try await store.resume(gone) }
            let writer = try await store.stage(isResumable: true)
            try await writer.append(ByteBuffer(string: "some"))
            let old = try await writer.checkpoint()
            clock.advance(by: .hours(24))
            _ = try await store.resume(old)
            clock.advance(by: .microseconds(1))
            try await expectThrows(.stale(old.key)) { try await store.resume(old) }
        },
        Check("Only a resumable blob has checkpoints") { store, _ in
            let writer = try await store.stage()
            try await writer.append(ByteBuffer(string: "some"))
            try await expectThrows(.notResumable) { try await writer.checkpoint() }
            await writer.abort()
        },
    ]
}
