import Blobs
import Core
import Database
import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import Synchronization
import TestKit
import Testing

/// A store that lets a test observe or break what the garbage collector does.
private struct WatchedStore: BlobStoreDecorator {
    let base: any BlobStore
    var onDelete: @Sendable (BlobKey) async throws -> Void = { _ in }

    func delete(_ key: BlobKey) async throws {
        try await onDelete(key)
        try await base.delete(key)
    }
}

/// A database that runs a closure before its n-th read.
private struct WatchedDatabase: DatabaseDecorator {
    let base: any Database
    let reads = Counter()
    let beforeRead: @Sendable (Int) async throws -> Void

    final class Counter: Sendable {
        private let count = Mutex(0)
        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        try await beforeRead(reads.next())
        return try await base.read(body)
    }
}

@Suite("Blob garbage collector")
struct BlobGarbageCollectorTests {
    private func garbageCollector(
        _ fixture: BlobFixture,
        store: (any BlobStore)? = nil, database: (any Database)? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) -> BlobGarbageCollector {
        BlobGarbageCollector(
            database: database ?? fixture.database, store: store ?? fixture.store, ledger: fixture.ledger, clock: fixture.clock.wall,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, sleep: sleep)
    }

    // MARK: Reaping

    @Test("A dead blob keeps its bytes for 10 minutes; then the collector removes bytes and row", arguments: StoragePair.allCases)
    func tenMinutes(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let key = try await fixture.storeBlob([1, 2, 3])
        let live = try await fixture.storeBlob([4, 5, 6])
        try await fixture.release(key)
        fixture.clock.advance(by: .minutes(10))
        #expect(try await garbageCollector(fixture).reap(now: fixture.clock.now) == 0)
        #expect(try await fixture.exists(key))
        fixture.clock.advance(by: .microseconds(1))
        #expect(try await garbageCollector(fixture).reap(now: fixture.clock.now) == 1)
        #expect(try await !fixture.exists(key))
        #expect(try await fixture.row(key) == nil)
        #expect(try await fixture.exists(live))
        #expect(try await fixture.row(live)?.state == .live)
    }

    @Test("The collector removes the bytes before the row", arguments: StoragePair.allCases)
    func order(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let key = try await fixture.storeBlob([1, 2, 3])
        try await fixture.release(key)
        let seen = Mutex<[BlobLedger.Entry.State?]>([])
        let store = WatchedStore(base: fixture.store) { [fixture] key in
            let state = try await fixture.row(key)?.state
            seen.withLock { $0.append(state) }
        }
        #expect(try await garbageCollector(fixture, store: store).reap(now: fixture.clock.now + .hours(1)) == 1)
        #expect(seen.withLock { $0 } == [.dead])
    }

    @Test("Bytes that cannot be removed keep their row and do not stop the collector", arguments: StoragePair.allCases)
    func stubborn(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        var keys: [BlobKey] = []
        // A batch has 100 blobs. Both counts exceed it, so even the blobs that cannot be removed fill more than one batch. In an object
        // store, each blob costs requests, so there are fewer.
        let (count, stubbornCount) = pair == .embedded ? (250, 120) : (130, 105)
        for number in 0..<count {
            let key = try await fixture.storeBlob(Array("\(number)".utf8))
            try await fixture.release(key)
            keys.append(key)
        }
        let stubborn = Set(keys.prefix(stubbornCount))
        let store = WatchedStore(base: fixture.store) { key in
            if stubborn.contains(key) { throw BlobError.system(operation: "removing a blob", code: 5) }
        }
        #expect(try await garbageCollector(fixture, store: store).reap(now: fixture.clock.now + .hours(1)) == count - stubbornCount)
        for key in keys { #expect(try await fixture.row(key)?.state == (stubborn.contains(key) ? .dead : nil)) }
        #expect(try await garbageCollector(fixture).reap(now: fixture.clock.now + .hours(1)) == stubbornCount)
        #expect(try await BlobStoreSuite.list(fixture.store) == [])
    }

    @Test("A row whose bytes are already missing is reaped too", arguments: StoragePair.allCases)
    func crashed(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let key = try await fixture.storeBlob([1, 2, 3])
        try await fixture.release(key)
        try await fixture.store.delete(key)
        #expect(try await garbageCollector(fixture).reap(now: fixture.clock.now + .hours(1)) == 1)
        #expect(try await fixture.row(key) == nil)
    }

    @Test("A dead blob that another row still names keeps its row and does not stop the collector", arguments: StoragePair.allCases)
    func named(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        var keys: [BlobKey] = []
        for number in 0..<3 { keys.append(try await fixture.storeBlob([UInt8(number)])) }
        for key in keys { try await fixture.release(key) }
        try await fixture.database.run("CREATE TABLE holder (blob TEXT NOT NULL REFERENCES blob (key))")
        try await fixture.database.run("INSERT INTO holder (blob) VALUES (\(keys[1]))")
        #expect(try await garbageCollector(fixture).reap(now: fixture.clock.now + .hours(1)) == 2)
        for key in keys { #expect(try await fixture.row(key)?.state == (key == keys[1] ? .dead : nil)) }
    }

    // MARK: Sweeping

    @Test("The sweep removes bytes without a row once they are older than 48 hours, and not before", arguments: StoragePair.allCases)
    func fortyEightHours(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let kept = try await fixture.storeBlob([1])
        let orphan = try await BlobStoreSuite.put([2], in: fixture.store).key
        fixture.clock.advance(by: .hours(48) + .microseconds(1) - fixture.instant)
        #expect(try await garbageCollector(fixture).sweep(now: fixture.clock.now).orphans == 0)
        #expect(try await fixture.exists(orphan))
        fixture.clock.advance(by: fixture.instant * 2)
        #expect(try await garbageCollector(fixture).sweep(now: fixture.clock.now).orphans == 1)
        #expect(try await !fixture.exists(orphan))
        #expect(try await fixture.exists(kept))
    }

    @Test("The sweep removes staged, unpublished files at the same age", arguments: StoragePair.allCases)
    func leftovers(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        // An object store gives a finished blob its final name at once, so the test leaves an unfinished upload there: a part of 5 MiB and
        // the beginning of the next part.
        let writer = try await fixture.store.stage(isResumable: pair == .shared)
        if pair == .shared {
            try await BlobStoreSuite.write(BlobStoreSuite.bytes(6_000_000), to: writer)
            _ = try await writer.checkpoint()
        } else {
            _ = try await writer.finish()
        }
        fixture.clock.advance(by: .hours(48) + .microseconds(1) - fixture.instant)
        #expect(try await garbageCollector(fixture).sweep(now: fixture.clock.now).leftovers == 0)
        fixture.clock.advance(by: fixture.instant * 2)
        #expect(try await garbageCollector(fixture).sweep(now: fixture.clock.now).leftovers == 1)
        #expect(try await fixture.staged() == [])
    }

    @Test("Bytes without a row that cannot be removed do not stop the sweep", arguments: StoragePair.allCases)
    func stubbornOrphan(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let kept = try await fixture.storeBlob([1])
        var orphans: [BlobKey] = []
        for number in 2..<5 { orphans.append(try await BlobStoreSuite.put([UInt8(number)], in: fixture.store).key) }
        let stubborn = orphans[1]
        let store = WatchedStore(base: fixture.store) { key in
            if key == stubborn { throw BlobError.system(operation: "removing a blob", code: 5) }
        }
        #expect(try await garbageCollector(fixture, store: store).sweep(now: fixture.clock.now + .days(3)).orphans == 2)
        #expect(try await Set(BlobStoreSuite.list(fixture.store)) == [kept, stubborn])
    }

    @Test("The sweep keeps bytes that belong to a dead row", arguments: StoragePair.allCases)
    func deadIsKnown(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let key = try await fixture.storeBlob([1])
        try await fixture.release(key)
        #expect(try await garbageCollector(fixture).sweep(now: fixture.clock.now + .days(9)).orphans == 0)
        #expect(try await fixture.exists(key))
    }

    @Test("Bytes survive when their row is written between listing and removal", arguments: [2, 3], StoragePair.allCases)
    func adoptedMeanwhile(read: Int, _ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        _ = try await fixture.storeBlob([1])
        let staged = try await BlobStoreSuite.put([2], in: fixture.store)
        // The first read looks up the listed keys, the second checks that any row exists, the third looks up this key again.
        let database = WatchedDatabase(base: fixture.database) { [fixture] number in
            guard number == read else { return }
            _ = try await fixture.database.write { tx in try fixture.ledger.adopt(staged, owner: "ada", tx) }
        }
        #expect(try await garbageCollector(fixture, database: database).sweep(now: fixture.clock.now + .days(3)).orphans == 0)
        #expect(try await fixture.exists(staged.key))
        #expect(try await fixture.row(staged.key)?.state == .live)
    }

    @Test("The sweep removes nothing when the database has no rows, because it is then the wrong database", arguments: StoragePair.allCases)
    func wrongDatabase(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let key = try await BlobStoreSuite.put([1], in: fixture.store).key
        #expect(try await garbageCollector(fixture).sweep(now: fixture.clock.now + .days(3)).orphans == 0)
        #expect(try await fixture.exists(key))
    }

    @Test("One pass removes hundreds of orphans", arguments: StoragePair.allCases)
    func many(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let kept = try await fixture.storeBlob([1])
        // In an object store, each orphan costs three requests.
        let count = pair == .embedded ? 1000 : 130
        try await fixture.addUnreferencedBlobs(count)
        #expect(try await garbageCollector(fixture).sweep(now: WallClock.system.now + .days(3)).orphans == count)
        #expect(try await BlobStoreSuite.list(fixture.store) == [kept])
    }

    // MARK: Running

    @Test("As a service, the collector runs at its interval and stops with the server", arguments: StoragePair.allCases)
    func service(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let key = try await fixture.storeBlob([1])
        try await fixture.release(key)
        fixture.clock.advance(by: .hours(1))
        let asleep = AsyncStream.makeStream(of: Duration.self)
        let garbageCollector = garbageCollector(fixture) { duration in
            asleep.continuation.yield(duration)
            try await Task.sleep(for: .seconds(3600))
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [garbageCollector], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        async let running: Void = group.run()
        for await duration in asleep.stream {
            #expect(duration == .minutes(1))
            break
        }
        #expect(try await !fixture.exists(key))
        await group.triggerGracefulShutdown()
        try await running
    }

    @Test("The collector sweeps also when its pass over dead blobs fails")
    func failedPass() async throws {
        let fixture = try await BlobFixture(.embedded)
        _ = try await fixture.storeBlob([1])
        let orphan = try await BlobStoreSuite.put([2], in: fixture.store).key
        fixture.clock.advance(by: .days(3))
        // The first read looks for dead blobs.
        let database = WatchedDatabase(base: fixture.database) { number in if number == 1 { throw DatabaseError.busy } }
        let asleep = AsyncStream.makeStream(of: Void.self)
        let garbageCollector = garbageCollector(fixture, database: database) { _ in
            asleep.continuation.yield()
            try await Task.sleep(for: .seconds(3600))
        }
        let group = ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [garbageCollector], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        async let running: Void = group.run()
        for await _ in asleep.stream { break }
        #expect(try await !fixture.exists(orphan))
        await group.triggerGracefulShutdown()
        try await running
    }

    @Test("A hold of a killed run whose clock was years ahead ends when the next run takes its own", arguments: StoragePair.allCases)
    func holdAhead(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let (killed, other) = (fixture.clock.now + .days(1_000), fixture.clock.now + .hours(2))
        try await fixture.database.run("INSERT INTO blob_hold (id, expires_at) VALUES ('killed', \(killed))")
        try await fixture.database.run("INSERT INTO blob_hold (id, expires_at) VALUES ('other', \(other))")
        try await BlobHold(database: fixture.database, clock: fixture.clock.wall, id: "next").during {}
        let ids = try await fixture.database.read { tx in
            try tx.rows("SELECT id FROM blob_hold").map { try $0.get("id", as: String.self) }
        }
        #expect(ids == ["other"])
    }
}
