import Blobs
import Core
import Database
import Synchronization
import TestKit
import TestThreads
import Testing

@Suite("Blob ledger", .blocksThreads)
struct BlobLedgerTests {
    @Test("Equal bytes of one owner are stored once", arguments: StoragePair.allCases)
    func sharing(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let ledger = fixture.ledger
        let (first, again) = (stagedBlob("same"), stagedBlob("same"))
        let (one, two) = try await fixture.database.write { tx in
            (try ledger.adopt(first, owner: "ada", tx), try ledger.adopt(again, owner: "ada", tx))
        }
        #expect(one.key == first.key && !one.isSurplus)
        #expect(two.key == first.key && two.isSurplus)
        let row = try #require(try await fixture.row(first.key))
        #expect(row.references == 2 && row.state == .live && row.byteCount == 4 && row.owner == "ada" && row.deadAt == nil)
        #expect(row.sha256 == first.sha256 && row.createdAt == fixture.clock.now)
        #expect(try await fixture.row(again.key) == nil)
    }

    @Test("A blob adopted twice under its own key is not surplus", arguments: StoragePair.allCases)
    func again(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let (ledger, staged) = (fixture.ledger, stagedBlob("same"))
        for _ in 0..<2 {
            let adoption = try await fixture.database.write { tx in try ledger.adopt(staged, owner: "ada", tx) }
            #expect(adoption.key == staged.key && !adoption.isSurplus)
        }
        #expect(try await fixture.row(staged.key)?.references == 2)
    }

    @Test("Different owners do not share a blob, and neither do different bytes", arguments: StoragePair.allCases)
    func notSharing(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let ledger = fixture.ledger
        let staged = ["same", "same", "other"].map { stagedBlob($0) }
        let adoptions = try await fixture.database.write { tx in
            try zip(staged, ["ada", "bob", "ada"]).map { try ledger.adopt($0, owner: $1, tx) }
        }
        #expect(adoptions.map(\.key) == staged.map(\.key) && adoptions.allSatisfy { !$0.isSurplus })
    }

    private final class Runs: Sendable {
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    @Test("Two writes that adopt the same blobs in opposite orders do not deadlock")
    func severalBlobs() async throws {
        let fixture = try await BlobFixture(.shared)
        let (ledger, database) = (fixture.ledger, fixture.database)
        let names = (0..<8).map(String.init)
        let keys = try await database.write { tx in try ledger.adopt(names.map { stagedBlob($0) }, owner: "ada", tx).map(\.key) }
        // A write that deadlocks runs again. Two at a time, because one of very many that wait for a lock runs again, too (`LockWaits`).
        let runs = Runs()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for order in [names, names.reversed()] {
                group.addTask {
                    for _ in 0..<30 {
                        let adopted = try await database.write { tx in
                            runs.add()
                            return try ledger.adopt(order.map { stagedBlob($0) }, owner: "ada", tx)
                        }
                        #expect(adopted.allSatisfy { $0.isSurplus })
                        #expect(adopted.map(\.key) == (order == names ? keys : keys.reversed()))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(runs.count == 60)
    }

    @Test("The last release makes a blob dead, and a dead blob cannot be released again", arguments: StoragePair.allCases)
    func release(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let key = try await fixture.storeBlob([1, 2, 3])
        #expect(try await fixture.storeBlob([1, 2, 3]) == key)
        #expect(try await fixture.release(key) == 1)
        #expect(try await fixture.row(key)?.state == .live)
        fixture.clock.advance(by: .seconds(5))
        #expect(try await fixture.release(key) == 0)
        let row = try #require(try await fixture.row(key))
        #expect(row.state == .dead && row.references == 0 && row.deadAt == fixture.clock.now)
        #expect(try await fixture.release(key) == nil)
        #expect(try await fixture.release(BlobKey(entropy: .system)) == nil)
    }

    @Test("Storing the bytes of a dead blob again makes a new blob", arguments: StoragePair.allCases)
    func deadStaysDead(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let first = try await fixture.storeBlob([1, 2, 3])
        try await fixture.release(first)
        let second = try await fixture.storeBlob([1, 2, 3])
        #expect(second != first)
        #expect(try await fixture.row(first)?.state == .dead)
        #expect(try await fixture.row(second)?.references == 1)
    }

    @Test("The schema refuses a row whose state is neither live nor dead", arguments: StoragePair.allCases)
    func schema(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let key = try await fixture.storeBlob([1])
        let wrongs: [SQL] = [
            "UPDATE blob SET state = 'dead'", "UPDATE blob SET refs = 0", "UPDATE blob SET refs = -1", "UPDATE blob SET dead_at = 1",
            "UPDATE blob SET state = 'half'", "UPDATE blob SET byte_count = -1", "UPDATE blob SET sha256 = 'short'",
        ]
        for wrong in wrongs {
            await #expect(throws: DatabaseError.self) { try await fixture.database.write { tx in try tx.run(wrong) } }
        }
        #expect(try await fixture.row(key)?.references == 1)
    }

    /// Each adoption and release records the count that it saw within its transaction, so the notes are in the order of the commits.
    @Test("Under concurrency each blob's references change by one, reach zero once, and stay there", arguments: StoragePair.allCases)
    func concurrency(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let ledger = fixture.ledger
        try await fixture.database.migrate(
            BlobLedger.migrations + [
                Migration(
                    "test/001",
                    [
                        "CREATE TABLE picture (id BIGINT NOT NULL PRIMARY KEY, blob TEXT COLLATE \"C\")",
                        "CREATE INDEX picture_by_blob ON picture (blob)",
                    ]),
                Migration("test/002", ["CREATE TABLE note (id BIGINT NOT NULL PRIMARY KEY, blob TEXT COLLATE \"C\", refs BIGINT)"]),
            ])
        let note: @Sendable (BlobKey, WriteTransaction) throws -> Void = { key, tx in
            let refs = try ledger.row(key, tx)?.references
            // The lock makes the transactions run one at a time from here to the commit, so that the ids follow the order of the commits.
            try tx.lock("note")
            try tx.run("INSERT INTO note (id, blob, refs) VALUES ((SELECT COALESCE(MAX(id), 0) + 1 FROM note), \(key), \(refs))")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<16 {
                group.addTask {
                    for _ in 0..<25 {
                        let staged = stagedBlob(worker % 2 == 0 ? "even" : "odd")
                        let key = try await fixture.database.write { tx in
                            let key = try ledger.adopt(staged, owner: "ada", tx).key
                            try note(key, tx)
                            return key
                        }
                        let remaining = try await fixture.database.write { tx in
                            let remaining = try ledger.release(key, tx)
                            try note(key, tx)
                            return remaining
                        }
                        #expect(remaining != nil, "a held blob was dead")
                    }
                }
            }
            try await group.waitForAll()
        }
        let notes = try await fixture.database.read { tx in
            try tx.rows("SELECT blob, refs FROM note ORDER BY id").map {
                (try $0.get("blob", as: BlobKey.self), try $0.get("refs", as: Int.self))
            }
        }
        #expect(notes.count == 16 * 25 * 2)
        var held: [BlobKey: Int] = [:]
        var dead: Set<BlobKey> = []
        for (key, references) in notes {
            #expect(!dead.contains(key), "a dead blob came back")
            #expect(abs(references - held[key, default: 0]) == 1)
            held[key] = references
            if references == 0 { dead.insert(key) }
        }
        #expect(held.values.allSatisfy { $0 == 0 })
        #expect(dead.count > 1)
    }

    @Test("Every query uses an index", arguments: StoragePair.allCases)
    func plans(_ pair: StoragePair) async throws {
        let fixture = try await BlobFixture(pair)
        let database = fixture.database
        let (key, time) = (BlobKey(entropy: .system), Timestamp(seconds: 1))
        let queries: [(SQL, String?)] = [
            (BlobLedger.entry(key), nil),
            (BlobLedger.share(stagedBlob("any"), owner: "ada"), "blob_live_bytes"),
            (BlobLedger.giveBack(key, now: time), nil),
            (BlobLedger.hand(key, to: "ada"), nil), (BlobLedger.hand(key, to: "ada", references: 1), nil),
            (BlobLedger.share(key, with: "ada"), nil), (BlobLedger.lock(key, of: "ada"), nil),
            (BlobLedger.live(of: "ada"), "blob_live_bytes"),
            (BlobLedger.dead(before: time, after: (time, ""), count: 100), "blob_dead"),
            (BlobLedger.removeDead(key), nil),
            (BlobLedger.known(among: [key, BlobKey(entropy: .system)]), nil),
            (BlobLedger.live(after: "", count: 500), nil),
            (BlobFixture.pictures.counts(from: key, through: key), "picture_by_blob"),
        ]
        for (query, index) in queries {
            let plan = try await QueryPlan(query, on: database)
            #expect(plan.faults.isEmpty, "\(plan)")
            if let index { #expect(plan.uses(index), "\(plan)") }
        }
        // Only the audit runs this query, and it reads every row anyway. The join order depends on the sizes of the two tables.
        let dangling = try await QueryPlan(BlobFixture.pictures.dangling(after: "", count: 500), on: database)
        #expect(dangling.uses("picture_by_blob") && dangling.faults(mayWalk: true).isEmpty, "\(dangling)")
        // This reads the first entry of an index. (Only the audit sums over all live rows, and it also reads every byte.)
        #expect(try await QueryPlan(BlobLedger.anyRow, on: database).faults(mayWalk: true).isEmpty)
    }
}
