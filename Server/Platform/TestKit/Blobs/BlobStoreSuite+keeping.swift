import Blobs
import Core
import NIOCore

extension BlobStoreSuite {
    static let keeping: [Check] = [
        Check("Several blobs are published together, and publishing them again has no effect") { store, _ in
            var staged: [StagedBlob] = []
            for number in 0..<10 {
                let writer = try await store.stage()
                try await writer.append(ByteBuffer(string: "blob \(number)"))
                staged.append(try await writer.finish())
            }
            try await store.publish(staged)
            try await store.publish(staged)
            try await store.publish([])
            try expectEqual(try await list(store), Set(staged.map(\.key)))
            for (number, blob) in staged.enumerated() {
                try expectEqual(try await read(blob.key, in: store), Array("blob \(number)".utf8))
            }
        },
        Check("A blob staged more than 24 hours ago is not published") { store, clock in
            let old = try await store.stage()
            try await old.append(ByteBuffer(string: "old"))
            let oldBlob = try await old.finish()
            clock.advance(by: .hours(24))
            let fresh = try await store.stage()
            let freshBlob = try await fresh.finish()
            clock.advance(by: .microseconds(1))
            try await expectThrows(.stale(old.key)) { try await store.publish([freshBlob, oldBlob]) }
            try await store.publish([freshBlob])
            await old.abort()
        },
        Check("A blob staged exactly 24 hours ago is still published") { store, clock in
            let writer = try await store.stage()
            let staged = try await writer.finish()
            clock.advance(by: .hours(24))
            try await store.publish([staged])
            try expectEqual(try await list(store), [staged.key])
        },
        Check("A deleted blob is gone, and deleting it again is not an error") { store, _ in
            let kept = try await put(bytes(1000), in: store)
            let deleted = try await put(bytes(1000), in: store)
            try await store.delete(deleted.key)
            try await store.delete(deleted.key)
            try await expectThrows(.missing(deleted.key)) { try await store.open(deleted.key) }
            try expectEqual(try await list(store), [kept.key])
        },
        Check("A blob that is only staged can be deleted by its key") { store, _ in
            let writer = try await store.stage()
            let staged = try await writer.finish()
            try await store.delete(writer.key)
            try await expectThrows(.missing(writer.key)) { try await store.publish([staged]) }
        },
        Check("The list holds each published blob once, and only older ones if requested") { store, clock in
            var keys: Set<BlobKey> = []
            for number in 0..<60 { keys.insert(try await put(bytes(10, seed: UInt64(number + 1)), in: store).key) }
            try expectEqual(try await list(store), keys)
            try expectEqual(try await list(store, olderThan: clock.now + .hours(1)), keys)
            try expectEqual(try await list(store, olderThan: clock.now - .hours(1)), [])
        },
        Check("Old unfinished blobs are removed, and published blobs are not") { store, clock in
            let content = bytes(6_000_000)
            let published = try await put(content, in: store)
            // `content` is larger than an object store's smallest part, so the store sends bytes of it before the blob is complete.
            let left = try await store.stage()
            try await write(content, to: left)
            try expectEqual(try await store.removeLeftovers(olderThan: clock.now - .hours(1)), 0)
            try expectEqual(try await store.removeLeftovers(olderThan: clock.now + .hours(1)), 1)
            try expectEqual(try await store.removeLeftovers(olderThan: clock.now + .hours(1)), 0)
            try expectEqual(try await list(store), [published.key])
            try expect(try await read(published.key, in: store) == content, "other bytes came back")
            await left.abort()
        },
        Check("Old checkpoints are removed") { store, clock in
            let writer = try await store.stage(isResumable: true)
            try await write(bytes(6_000_000), to: writer)
            let checkpoint = try await writer.checkpoint()
            try expectEqual(try await store.removeLeftovers(olderThan: clock.now - .hours(1)), 0)
            try expectEqual(try await store.removeLeftovers(olderThan: clock.now + .hours(1)), 1)
            try await expectThrows(.missing(writer.key)) { try await store.resume(checkpoint) }
            await writer.abort()
        },
        Check("A resumable blob can be deleted by its key") { store, clock in
            let writer = try await store.stage(isResumable: true)
            try await write(bytes(6_000_000), to: writer)
            let checkpoint = try await writer.checkpoint()
            try await store.delete(writer.key)
            try await expectThrows(.missing(writer.key)) { try await store.resume(checkpoint) }
            try expectEqual(try await store.removeLeftovers(olderThan: clock.now + .hours(1)), 0)
            await writer.abort()
        },
        Check("The probe passes and leaves nothing behind") { store, _ in
            try await store.probe()
            try expectEqual(try await list(store), [])
            try expect(try await store.freeByteCount() > 0, "freeByteCount is 0")
        },
    ]
}
