import CFaultyVFS
import Database
import Dispatch
import Foundation
import SQLiteEngine
import TestThreads
import Testing

/// SQLite's result codes, which the engine does not export.
enum SQLiteCode {
    static let busy: Int32 = 5
    static let noMemory: Int32 = 7
    static let full: Int32 = 13
    static let failedWrite: Int32 = 10 | 3 << 8
    static let failedSync: Int32 = 10 | 4 << 8
    static let failedShmLock: Int32 = 10 | 20 << 8
}

/// A write is never acknowledged after a failed fsync, write or lock, and one caller's failure never fails another.
@Suite("Group commit on a failing disk", .serialized, .blocksThreads)
struct GroupCommitInjectionTests {
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        let operation: faulty_operation
        let code: Int32
        /// How many consecutive calls fail.
        let times: Int
        var spills = false
        var checkpoints = false
        /// From each round to the next, the first call that fails moves on by this many calls. More than 1 where there are hundreds of
        /// calls.
        var stride = 1
        var testDescription: String { name }

        static let forever = 1_000_000
        static let all = [
            Fault(name: "one write: I/O error", operation: FAULTY_WRITE, code: SQLiteCode.failedWrite, times: 1),
            Fault(name: "three writes: I/O error", operation: FAULTY_WRITE, code: SQLiteCode.failedWrite, times: 3),
            Fault(name: "all writes from one on: disk full", operation: FAULTY_WRITE, code: SQLiteCode.full, times: forever),
            Fault(name: "one write: disk full", operation: FAULTY_WRITE, code: SQLiteCode.full, times: 1),
            Fault(name: "one write: busy", operation: FAULTY_WRITE, code: SQLiteCode.busy, times: 1),
            Fault(name: "one write: no memory", operation: FAULTY_WRITE, code: SQLiteCode.noMemory, times: 1),
            Fault(name: "one sync: I/O error", operation: FAULTY_SYNC, code: SQLiteCode.failedSync, times: 1),
            Fault(name: "two syncs: I/O error", operation: FAULTY_SYNC, code: SQLiteCode.failedSync, times: 2),
            Fault(name: "20 syncs: I/O error", operation: FAULTY_SYNC, code: SQLiteCode.failedSync, times: 20),
            Fault(name: "all syncs from one on: I/O error", operation: FAULTY_SYNC, code: SQLiteCode.failedSync, times: forever),
            Fault(name: "one lock of the log: I/O error", operation: FAULTY_SHM_LOCK, code: SQLiteCode.failedShmLock, times: 1),
            Fault(name: "one lock of the log: busy", operation: FAULTY_SHM_LOCK, code: SQLiteCode.busy, times: 1),
            Fault(name: "one lock for writing: I/O error", operation: FAULTY_WRITER_LOCK, code: SQLiteCode.failedShmLock, times: 1),
            Fault(name: "one lock for writing: busy", operation: FAULTY_WRITER_LOCK, code: SQLiteCode.busy, times: 1),
            Fault(name: "all locks for writing from one on: busy", operation: FAULTY_WRITER_LOCK, code: SQLiteCode.busy, times: forever),
            Fault(
                name: "one write, with checkpoints: disk full", operation: FAULTY_WRITE, code: SQLiteCode.full, times: 1, checkpoints: true),
            Fault(
                name: "one sync, with checkpoints: I/O error", operation: FAULTY_SYNC, code: SQLiteCode.failedSync, times: 1,
                checkpoints: true),
            Fault(
                name: "five syncs, with checkpoints: I/O error", operation: FAULTY_SYNC, code: SQLiteCode.failedSync, times: 5,
                checkpoints: true),
            Fault(
                name: "one write within the batch: I/O error", operation: FAULTY_WRITE, code: SQLiteCode.failedWrite, times: 1,
                spills: true,
                stride: 7),
            Fault(
                name: "one write within the batch: disk full", operation: FAULTY_WRITE, code: SQLiteCode.full, times: 1, spills: true,
                stride: 7),
            Fault(
                name: "30 writes within the batch: I/O error", operation: FAULTY_WRITE, code: SQLiteCode.failedWrite, times: 30,
                spills: true,
                stride: 11),
        ]
    }

    @Test("Every caller gets the true outcome, wherever the disk fails", arguments: Fault.all)
    func truth(_ fault: Fault) async throws {
        let storm = try await WriteStorm(spills: fault.spills, checkpoints: fault.checkpoints)
        var rounds: [WriteStorm.Round] = []
        var ordinal = 1
        var failures = 0
        var resurrected = 0
        // In each round, a later call fails first. The loop ends when a round has no such call any more.
        repeat {
            let round = try await storm.round(rounds.count, fault.operation, ordinal: ordinal, times: fault.times, code: fault.code)
            rounds.append(round)
            failures += round.failures
            #expect(round.answers.count == WriteStorm.size)
            #expect(try await storm.lies(rounds).lies == [], "position \(ordinal)")
            if fault.times == 1 {
                // The second run commits every write: a single fault fails no caller.
                #expect(round.failed.isEmpty, "position \(ordinal): \(round.failed.first.map { "\($0)" } ?? "")")
            }
            if round.failures > 0 {
                let crashed = try await storm.afterCrash()
                let found = try await storm.lies(rounds, in: crashed)
                #expect(found.lies == [], "after a crash at position \(ordinal)")
                resurrected += found.resurrected
                try await crashed.close()
            }
            ordinal += fault.stride
        } while rounds.last.map { $0.failures > 0 } ?? false
        let statistics = storm.database.statistics
        #expect(statistics.largestBatch == WriteStorm.size)
        try await storm.database.close()
        let reopened = try await SQLiteDatabase.open(path: storm.path)
        #expect(try await storm.lies(rounds, in: reopened).lies == [])
        try await reopened.close()
        print(
            "injection: \(fault.name): \(rounds.count - 1) positions, \(failures) faults, \(rounds.count * WriteStorm.size) callers, "
                + "\(rounds.flatMap(\.failed).count) heard an error, \(statistics.alone) closures ran alone, "
                + "\(resurrected) failed ones back after a crash")
    }

    @Test("Control: without the second run, one failed write fails every caller")
    func negativeControl() async throws {
        let storm = try await WriteStorm(retriesAlone: false)
        let round = try await storm.round(0, FAULTY_WRITE, ordinal: 3, times: 1, code: SQLiteCode.failedWrite)
        #expect(round.failures == 1)
        #expect(round.failed.count == WriteStorm.size)
        #expect(try await storm.lies([round]).lies == [])
        try await storm.database.close()
    }

    @Test("An error based on a neighbour's row that was rolled back is decided again")
    func falseConflict() async throws {
        let storm = try await WriteStorm()
        let database = storm.database
        struct Taken: Error {}
        let claim: @Sendable (Int) async throws -> Void = { owner in
            try await database.write { tx in
                guard try tx.row("SELECT id FROM storm") == nil else { throw Taken() }
                try tx.run("INSERT INTO storm (id, payload) VALUES (\(owner), 'claimed')")
            }
        }
        let hold = await storm.hold()
        let first = Task { try await claim(1) }
        try await waitUntil { database.waiting == WriteStorm.size }
        let second = Task { try await claim(2) }
        try await waitUntil { database.waiting == WriteStorm.size + 1 }
        // The batch's sync fails, and so does the sync of the first closure's second run. The second closure's sync succeeds.
        #expect(faulty_arm(storm.path, FAULTY_SYNC, 1, 2, SQLiteCode.failedSync) == 1)
        hold.gate.signal()
        try await hold.done.value
        await #expect(throws: DatabaseError.self) { try await first.value }
        try await second.value
        #expect(faulty_failures(storm.path) == 2)
        faulty_disarm(storm.path)
        let owner = try await database.read { tx in try tx.row("SELECT id FROM storm")?.get("id", as: Int.self) }
        #expect(owner == 2)
        try await database.close()
    }
}
