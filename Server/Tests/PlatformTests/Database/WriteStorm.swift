import CFaultyVFS
import Database
import Dispatch
import Foundation
import SQLiteEngine
import Testing

/// Rounds of 64 writes that make one batch on a disk that fails, and a model of what their callers were told.
final class WriteStorm: Sendable {
    static let size = 64

    struct Refusal: Error, Equatable {
        let id: Int
    }

    enum Answer: Sendable {
        /// The counter as this closure left it.
        case committed(Int)
        case refused(Int)
        case failed(any Error)
    }

    /// What a round's callers were told, by id; and how often the disk failed meanwhile.
    struct Round: Sendable {
        var answers: [Int: Answer] = [:]
        var failures = 0
        var committed: [Int] { answers.compactMap { if case .committed = $1 { $0 } else { nil } } }
        var failed: [any Error] { answers.values.compactMap { if case .failed(let error) = $0 { error } else { nil } } }
    }

    let database: SQLiteDatabase
    let path: String
    /// Kept until the storm is over.
    private let folder: DatabaseFolder
    private let payload: Int

    /// - Parameter spills: rows so large, and a page cache so small, that frames reach the log in the middle of the batch.
    /// - Parameter checkpoints: after every commit the log is copied to the file, which is a disk's work too.
    init(spills: Bool = false, checkpoints: Bool = false, retriesAlone: Bool = true) async throws {
        #expect(faulty_register() == 0)
        folder = try DatabaseFolder(inMemory: true)
        path = folder.file("storm.sqlite")
        payload = spills ? 1_500 : 10
        var options = SQLiteDatabase.Options()
        // However busy the machine is, only the number of closures ends a batch.
        options.batchLimit = Self.size
        options.batchTime = .seconds(60)
        options.busyTimeout = .milliseconds(50)
        options.retriesAlone = retriesAlone
        if spills { options.tampering.append("PRAGMA cache_size = 10") }
        if checkpoints { options.tampering.append("PRAGMA wal_autocheckpoint = 1") }
        database = try await SQLiteDatabase.open(path: path, options: options)
        try await database.migrate([
            Migration(
                "storm/001",
                [
                    "CREATE TABLE storm (id BIGINT PRIMARY KEY, payload TEXT NOT NULL)",
                    "CREATE TABLE counter (n BIGINT NOT NULL)", "INSERT INTO counter (n) VALUES (0)",
                ])
        ])
    }

    /// Holds the writer until all of the round wait for it, so that they make one batch; then lets the disk fail.
    func round(_ number: Int, _ operation: faulty_operation, ordinal: Int, times: Int, code: Int32) async throws -> Round {
        let hold = await hold()
        var round = try await withThrowingTaskGroup(of: (Int, Answer).self) { group in
            for index in 0..<Self.size {
                let id = number * Self.size + index
                group.addTask { (id, await self.write(id, refuses: index % 7 == 3)) }
            }
            try await waitUntil { self.database.waiting == 2 * Self.size - 1 }
            #expect(faulty_arm(path, operation, ordinal, times, code) == 1)
            hold.gate.signal()
            return try await group.reduce(into: Round()) { $0.answers[$1.0] = $1.1 }
        }
        round.failures = faulty_failures(path)
        faulty_disarm(path)
        try await hold.done.value
        return round
    }

    /// Occupies the writer with a batch of its own, full and without any work for the disk, which ends after `gate` is signalled.
    func hold() async -> (gate: DispatchSemaphore, done: Task<Void, any Error>) {
        let (isHeld, maker) = AsyncStream.makeStream(of: Void.self)
        let gate = DispatchSemaphore(value: 0)
        let done = Task { [database] in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    try await database.write { _ in
                        maker.finish()
                        gate.wait()
                    }
                }
                for await _ in isHeld {}
                for _ in 1..<Self.size { group.addTask { try await database.write { _ in } } }
                try await group.waitForAll()
            }
        }
        while database.waiting < Self.size - 1 { await Task.yield() }
        return (gate, done)
    }

    private func write(_ id: Int, refuses: Bool) async -> Answer {
        let text = String(repeating: "x", count: payload)
        do {
            return .committed(
                try await database.write { tx in
                    try tx.run("INSERT INTO storm (id, payload) VALUES (\(id), \(text))")
                    guard let row = try tx.row("UPDATE counter SET n = n + 1 RETURNING n") else { throw DatabaseError.column("n") }
                    if refuses { throw Refusal(id: id) }
                    return try row.get("n")
                })
        } catch let refusal as Refusal {
            return .refused(refusal.id)
        } catch {
            return .failed(error)
        }
    }

    /// Where what was told and what is stored differ: empty when every caller heard the truth.
    ///
    /// - Parameter elsewhere: a database recovered from this one's files as a crash would leave them. There, a caller who heard an
    ///   error may find its row after all (see `GroupCommit`), but none who heard success may miss it.
    func lies(_ rounds: [Round], in elsewhere: SQLiteDatabase? = nil) async throws -> (lies: [String], resurrected: Int) {
        let (stored, count) = try await (elsewhere ?? database).read { tx in
            (
                Set(try tx.rows("SELECT id FROM storm").map { try $0.get("id", as: Int.self) }),
                try tx.row("SELECT n FROM counter")?.get("n", as: Int.self)
            )
        }
        var lies: [String] = []
        var resurrected = 0
        var numbers: Set<Int> = []
        for (id, answer) in rounds.lazy.flatMap(\.answers) {
            switch answer {
            case .committed(let number):
                if !stored.contains(id) { lies.append("\(id) heard success and is missing") }
                if !numbers.insert(number).inserted { lies.append("\(id) was told the number \(number), as another was") }
            case .refused(let number):
                if number != id { lies.append("\(id) heard the refusal of \(number)") }
                if stored.contains(id) { lies.append("\(id) refused and is there") }
            case .failed(let error):
                guard stored.contains(id) else { continue }
                resurrected += 1
                if elsewhere == nil { lies.append("\(id) heard \(error) and is there") }
            }
        }
        // A closure that counted twice, or whose halves were torn apart, shows here.
        if count != stored.count { lies.append("\(stored.count) rows, and a counter of \(count ?? -1)") }
        return (lies, resurrected)
    }

    /// The database as `kill -9` now would leave it, opened by another process.
    func afterCrash() async throws -> SQLiteDatabase {
        let copy = path + ".crashed-\(UUID().uuidString)"
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
        return try await SQLiteDatabase.open(path: copy)
    }
}

/// Looks every 0.2 ms.
func waitUntil(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .microseconds(200)) }
}
