import Core
import Database
import Jobs
import SQLiteEngine
import TestKit
import Testing

@Suite("Cost of job queries")
struct JobCostTests {
    struct Note: Job {
        static let kind = "cost/note"
        let number: Int
    }
    struct Other: Job {
        static let kind = "cost/other"
        let number: Int
    }

    @Test("Reading due jobs, expired jobs and a page costs the same however many jobs wait, also of other kinds")
    func constant() async throws {
        let stores = try TestStores(.sqlite)
        let database = try await SQLiteDatabase.open(path: String(stores.address().dropFirst("sqlite:".count)))
        try await database.migrate(JobStore.migrations)
        let clock = TestClock()
        let queue = JobQueue(clock: clock.wall, identifiers: Identifiers(clock: clock.wall, entropy: .system))
        let kinds = [Note.kind, Other.kind]
        var work: [[Int]] = []
        for count in [100, 10_000] {
            try await database.write { tx in
                for number in 0..<count {
                    // The jobs of the other kind are due first, but must not slow these queries.
                    try queue.enqueue(Other(number: number), owner: nil, at: clock.now - .seconds(60), tx)
                    try queue.enqueue(Note(number: number), owner: nil, tx)
                }
            }
            let cursor = JobCursor(kind: Note.kind, runAt: clock.now, id: "")
            work.append([
                try await database.work(JobLeases.heads([Note.kind], count: 4)),
                try await database.work(JobLeases.heads(kinds, count: 4)),
                try await database.work(JobLeases.firstExpiry(kinds)),
                try await database.work(JobLeases.expired(kinds, now: clock.now, "")),
                try await database.work(JobStore.page(state: .ready, kind: nil, after: cursor, count: 20)),
            ])
        }
        #expect(work[0] == work[1])
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    @Test("Finding the accounts that wait costs the same however many jobs each of them has")
    func accounts() async throws {
        let stores = try TestStores(.sqlite)
        let database = try await SQLiteDatabase.open(path: String(stores.address().dropFirst("sqlite:".count)))
        try await database.migrate(JobStore.migrations)
        let clock = TestClock()
        let queue = JobQueue(clock: clock.wall, identifiers: Identifiers(clock: clock.wall, entropy: .system))
        var work: [Int] = []
        for count in [50, 5_000] {
            try await database.write { tx in
                for owner in ["ada", "ben", "eve"] {
                    for number in 0..<count { try queue.enqueue(Note(number: number), owner: owner, tx) }
                }
            }
            let found = try await database.read { tx in
                try tx.rows(JobLeases.accounts(Note.kind, after: "", count: 2)).map { try $0.get("owner", as: String.self) }
            }
            #expect(found == ["ada", "ben"])
            work.append(try await database.work(JobLeases.accounts(Note.kind, after: "", count: 32)))
        }
        #expect(work[0] == work[1])
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    @Test("Finding the turn keys that wait costs the same however many jobs each of them has")
    func turnKeys() async throws {
        let stores = try TestStores(.sqlite)
        let database = try await SQLiteDatabase.open(path: String(stores.address().dropFirst("sqlite:".count)))
        try await database.migrate(JobStore.migrations)
        let clock = TestClock()
        let queue = JobQueue(clock: clock.wall, identifiers: Identifiers(clock: clock.wall, entropy: .system))
        var work: [Int] = []
        for count in [50, 5_000] {
            try await database.write { tx in
                for party in ["ada", "ben", "eve"] {
                    let turn = JobTurnKey(party: party, target: "x")
                    for number in 0..<count { try queue.enqueue(Note(number: number), owner: nil, turn: turn, tx) }
                }
            }
            let found = try await database.read { tx in
                try tx.rows(JobLeases.turnKeys(Note.kind, after: "", count: 2)).map { try $0.get("turn_key", as: String.self) }
            }
            #expect(found == ["ada x", "ben x"])
            work.append(try await database.work(JobLeases.turnKeys(Note.kind, after: "", count: 128)))
        }
        #expect(work[0] == work[1])
        try await database.close()
        withExtendedLifetime(stores) {}
    }
}
