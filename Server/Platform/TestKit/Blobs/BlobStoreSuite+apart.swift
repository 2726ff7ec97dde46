import Blobs
import Core
import NIOCore

extension BlobStoreSuite {
    static let apart: [Check] = [
        Check("An unpublished blob cannot be opened and is not listed") { store, _ in
            let writer = try await store.stage()
            try await write(bytes(2_000_000), to: writer)
            try await expectThrows(.missing(writer.key)) { try await store.open(writer.key) }
            _ = try await writer.finish()
            try await expectThrows(.missing(writer.key)) { try await store.open(writer.key) }
            try expectEqual(try await list(store), [])
            await writer.abort()
        },
        Check("Old blobs that were never published are removed") { store, clock in
            let published = try await put(bytes(1000), in: store)
            let left = try await store.stage()
            try await write(bytes(1_000_000), to: left)
            let leftBlob = try await left.finish()
            try expectEqual(try await store.removeLeftovers(olderThan: clock.now - .hours(1)), 0)
            try expectEqual(try await store.removeLeftovers(olderThan: clock.now + .hours(1)), 1)
            try await expectThrows(.missing(left.key)) { try await store.publish([leftBlob]) }
            try expectEqual(try await list(store), [published.key])
        },
        Check("When one blob is too old to publish, none of the same call is published") { store, clock in
            let old = try await store.stage()
            let oldBlob = try await old.finish()
            clock.advance(by: .hours(24))
            let freshBlob = try await store.stage().finish()
            clock.advance(by: .microseconds(1))
            try await expectThrows(.stale(old.key)) { try await store.publish([freshBlob, oldBlob]) }
            try expectEqual(try await list(store), [])
        },
    ]
}
