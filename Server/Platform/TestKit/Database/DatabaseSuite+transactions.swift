internal import Core
internal import Database
import Dispatch
import Synchronization

extension DatabaseSuite {
    private static let schema = [
        "CREATE TABLE counter (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)",
        "INSERT INTO counter (id, n) VALUES (1, 0)",
        "CREATE TABLE mark (id BIGINT PRIMARY KEY)",
    ]

    private struct Refusal: Error, Equatable {
        let number: Int
    }

    static let transactions: [Check] = [
        check("A read sees one snapshot, whatever is committed meanwhile", schema) { database in
            let (hasRead, hasReadMaker) = AsyncStream.makeStream(of: Void.self)
            let hasWritten = DispatchSemaphore(value: 0)
            async let seen = database.read { tx in
                let before = try tx.row("SELECT n FROM counter")?.get("n", as: Int.self)
                hasReadMaker.finish()
                _ = hasWritten.wait(timeout: .now() + .seconds(10))
                return [before, try tx.row("SELECT n FROM counter")?.get("n", as: Int.self)]
            }
            for await _ in hasRead {}
            try await database.write { tx in try tx.run("UPDATE counter SET n = 7") }
            hasWritten.signal()
            try expectEqual(try await seen, [0, 0])
            let after = try await database.read { tx in try tx.row("SELECT n FROM counter")?.get("n", as: Int.self) }
            try expectEqual(after, 7)
        },
        check("Each of 64 concurrent closures rolls back alone, and its caller receives the error it threw", schema) { database in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...64 {
                    group.addTask {
                        do {
                            let answer = try await database.write { tx in
                                try tx.run("INSERT INTO mark (id) VALUES (\(number))")
                                try tx.run("UPDATE counter SET n = n + 1")
                                if number % 3 == 0 { throw Refusal(number: number) }
                                return number * 2
                            }
                            try expect(number % 3 != 0, "closure \(number) threw and its caller received no error")
                            try expectEqual(answer, number * 2)
                        } catch let error as Refusal {
                            try expectEqual(error.number, number)
                        }
                    }
                }
                try await group.waitForAll()
            }
            let (marks, count) = try await database.read { tx in
                (
                    try tx.rows("SELECT id FROM mark ORDER BY id").map { try $0.get("id", as: Int.self) },
                    try tx.row("SELECT n FROM counter")?.get("n", as: Int.self)
                )
            }
            try expectEqual(marks, (1...64).filter { $0 % 3 != 0 })
            try expectEqual(count, marks.count)
        },
        check("Concurrent increments lose no update and return each number once", schema) { database in
            let answers = try await withThrowingTaskGroup(of: [Int].self) { group in
                for _ in 0..<32 {
                    group.addTask {
                        var answers: [Int] = []
                        for _ in 0..<8 {
                            let row = try await database.write { tx in try tx.row("UPDATE counter SET n = n + 1 RETURNING n") }
                            answers.append(try row?.get("n") ?? 0)
                        }
                        return answers
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            try expectEqual(answers.sorted(), Array(1...256))
        },
        check("Under one lock only one of many writers finds the row absent", schema) { database in
            let winners = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 1...32 {
                    group.addTask {
                        try await database.write { tx in
                            try tx.lock("mark")
                            guard try tx.row("SELECT id FROM mark") == nil else { return false }
                            try tx.run("INSERT INTO mark (id) VALUES (\(number))")
                            return true
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            try expectEqual(winners, 1)
        },
        check("A transaction rolls back even if its closure catches the error", schema) { database in
            let ranOn = Mutex(false)
            let error = try await expectThrows {
                try await database.write { tx in
                    try tx.run("INSERT INTO mark (id) VALUES (1)")
                    do { try tx.run("INSERT INTO mark (id) VALUES (1)") } catch {}
                    do {
                        try tx.run("INSERT INTO mark (id) VALUES (2)")
                        ranOn.withLock { $0 = true }
                    } catch {}
                }
            }
            guard case .uniqueViolation? = error as? DatabaseError else { throw Failure(description: "\(error)") }
            try expect(!ranOn.withLock { $0 }, "a statement ran after one had failed")
            let row = try await database.read { tx in try tx.row("SELECT id FROM mark") }
            try expect(row == nil, "a row was committed")
        },
        check("A read cannot write", schema) { database in
            _ = try await expectThrows { try await database.read { tx in try tx.rows("INSERT INTO mark (id) VALUES (9) RETURNING id") } }
            _ = try await expectThrows {
                try await database.list("INSERT INTO mark (id) VALUES (9) RETURNING id") { try $0.next("id") as Int64 }
            }
            let row = try await database.read { tx in try tx.row("SELECT id FROM mark") }
            try expect(row == nil, "a read wrote")
        },
        check("A write whose task is cancelled before it begins never runs", schema) { database in
            let error = try await expectThrows {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.cancelAll()
                    group.addTask { _ = try await database.write { tx in try tx.run("INSERT INTO mark (id) VALUES (1)") } }
                    try await group.waitForAll()
                }
            }
            try expect(error is CancellationError, "\(error)")
            let row = try await database.read { tx in try tx.row("SELECT id FROM mark") }
            try expect(row == nil, "it ran")
        },
        Check("Closing a database finishes the writes begun and rejects later calls") { open, store in
            let database = try await open(store)
            try await database.migrate([Migration("suite/001", schema)])
            let writes = Task {
                try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 1...64 {
                        group.addTask {
                            do {
                                try await database.write { tx in try tx.run("INSERT INTO mark (id) VALUES (\(number))") }
                                return true
                            } catch DatabaseError.closed {
                                return false
                            }
                        }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
            }
            try await database.close()
            let told = try await writes.value
            for error in [
                try await expectThrows { try await database.read { tx in try tx.rows("SELECT 1 AS one") } },
                try await expectThrows { try await database.write { tx in try tx.run("DELETE FROM mark") } },
                try await expectThrows { try await database.migrate([]) },
                try await expectThrows { try await database.plan("SELECT 1 AS one") },
            ] { try expectEqual(error as? DatabaseError, .closed) }
            try await database.close()

            let again = try await open(store)
            let kept = try await again.read { tx in try tx.row("SELECT COUNT(*) AS n FROM mark")?.get("n", as: Int.self) }
            try await again.close()
            try expectEqual(kept, told)
        },
    ]
}
