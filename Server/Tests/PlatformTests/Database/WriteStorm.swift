import CFaultyVFS
import Database
import Dispatch
import Foundation
import SQLiteEngine
import Testing

/// Rounds of 64 writes that form one batch on a failing disk, and a model of the results that their callers got.
final class WriteStorm: Sendable {
    static let size = 64

    struct Refusal: Error, Equatable {
        let id: Int
    }

    enum Answer: Sendable {
        /// The value of the counter after this closure.
        case committed(Int)
        case refused(Int)
        case failed(any Error)
    }

    /// The results of a round's callers by id, and how often the disk failed during the round.
    struct Round: Sendable {
        var answers: [Int: Answer] = [:]
        var failures = 0
        var committed: [Int] { answers.compactMap { if case .committed = $1 { $0 } else { nil } } }
        var failed: [any Error] { answers.values.compactMap { if case .failed(let error) = $0 { error } else { nil } } }
    }

    let database: SQLiteDatabase
    let path: String
    /// Keeps the folder until the storm is over.
    private let folder: DatabaseFolder
    private let payload: Int

    /// - Parameter spills: makes the rows so large and the page cache so small that frames reach the log in the middle of the batch.
    /// - Parameter checkpoints: copies the log to the file after every commit, which writes to the disk too.
    init(spills: Bool = false, checkpoints: Bool = false, retriesAlone: Bool = true) async throws {
        #expect(faulty_register() == 0)
        folder = try DatabaseFolder(inMemory: true)
        path = folder.file("storm.sqlite")
        payload = spills ? 1_500 : 10
        var options = SQLiteDatabase.Options()
        // Only the number of closures ends a batch, however busy the machine is.
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

    /// Blocks the writer until all writes of the round wait, so that they form one batch; then makes the disk fail.
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

    /// Occupies the writer with a full batch that does no disk I/O and ends after `gate` is signalled.
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

    /// Lists the differences between the callers' results and the stored rows; empty when every caller got the true outcome.
    ///
    /// - Parameter elsewhere: a database opened from a copy of this one's files, as after a crash. There, the row of a caller that got an
    ///   error may exist (see `GroupCommit`), but the row of a caller that got success must exist.
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
                if !stored.contains(id) { lies.append("\(id) succeeded, but its row is missing") }
                if !numbers.insert(number).inserted { lies.append("\(id) got the counter \(number), which another write got too") }
            case .refused(let number):
                if number != id { lies.append("\(id) got the refusal of \(number)") }
                if stored.contains(id) { lies.append("\(id) was refused, but its row exists") }
            case .failed(let error):
                guard stored.contains(id) else { continue }
                resurrected += 1
                if elsewhere == nil { lies.append("\(id) failed with \(error), but its row exists") }
            }
        }
        // Detects a closure that counted twice or ran only in part.
        if count != stored.count { lies.append("\(stored.count) rows, and a counter of \(count ?? -1)") }
        return (lies, resurrected)
    }

    /// The database in the state that `kill -9` would leave now, opened as another process would.
    func afterCrash() async throws -> SQLiteDatabase {
        let copy = path + ".crashed-\(UUID().uuidString)"
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: copy + suffix) }
        return try await SQLiteDatabase.open(path: copy)
    }
}

/// Checks the condition every 0.2 ms.
func waitUntil(_ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .microseconds(200)) }
}
