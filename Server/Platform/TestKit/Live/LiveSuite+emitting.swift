internal import Core
internal import Database
internal import Live

extension LiveSuite {
    private struct Refusal: Error, Equatable {}

    private struct Words: Codable, Equatable {
        let words: String
        let number: Int
    }

    static let emitting: [Check] = [
        Check("After its write commits, the log holds an event as it was emitted") { nodes in
            let words = Words(words: "naïve 日本語 \u{0} \"quoted\" / 👩‍👩‍👧", number: -7)
            try await nodes.database.write { tx in try nodes.log.emit("test.said", words, to: "a", tx) }
            let event = Event(
                account: "a", seq: 1, at: nodes.clock.now, kind: "test.said",
                payload: #"{"number":-7,"words":"naïve 日本語 \u0000 \"quoted\" / 👩‍👩‍👧"}"#)
            try expectEqual(try await nodes.stored(), [event])
            try expectEqual(try await nodes.head(), 1)
            try expectEqual(try await nodes.head("nobody"), 0)
        },
        Check("A write that rolls back leaves no event and no gap") { nodes in
            try await nodes.emit([1])
            let error = try await expectThrows {
                try await nodes.database.write { tx in
                    try nodes.log.emit("test.counted", 2, to: "a", tx)
                    throw Refusal()
                }
            }
            try expect(error is Refusal, "\(error)")
            try await nodes.emit([3])
            try expectEqual(try await nodes.stored().map { [$0.seq, Int64($0.payload)] }, [[1, 1], [2, 3]])
        },
        Check("An event that the schema rejects rolls back its write") { nodes in
            let error = try await expectThrows {
                try await nodes.database.write { tx in
                    try nodes.log.emit("test.counted", 1, to: "a", tx)
                    try nodes.log.emit("", 2, to: "b", tx)
                }
            }
            try expectEqual(error as? DatabaseError, .checkViolation(constraint: "event_kind"))
            try expectEqual([try await nodes.head("a"), try await nodes.head("b")], [0, 0])
        },
        Check("One write to several accounts numbers each log separately") { nodes in
            try await nodes.emit([0], to: "b")
            try await nodes.database.write { tx in
                try nodes.log.emit("test.counted", 1, to: ["b", "a", "c"], tx)
                try nodes.log.emit("test.counted", 2, to: "a", tx)
            }
            try expectEqual(try await nodes.stored("a").map { [$0.seq, Int64($0.payload)] }, [[1, 1], [2, 2]])
            try expectEqual(try await nodes.stored("b").map { [$0.seq, Int64($0.payload)] }, [[1, 0], [2, 1]])
            try expectEqual(try await nodes.stored("c").map { [$0.seq, Int64($0.payload)] }, [[1, 1]])
        },
        Check("The events of one write are stored in the order of emission") { nodes in
            try await nodes.database.write { tx in
                for number in 1...341 { try nodes.log.emit("test.counted", number, to: number % 3 == 0 ? "b" : "a", tx) }
            }
            for (account, numbers) in [("a", (1...341).filter { $0 % 3 != 0 }), ("b", (1...341).filter { $0 % 3 == 0 })] {
                let stored = try await nodes.stored(account)
                try expectEqual(stored.map(\.payload), numbers.map(String.init))
                try expectEqual(stored.map(\.seq), Array(1...Int64(numbers.count)))
            }
        },
        Check("Concurrent writes to the same accounts, in any order, neither deadlock nor get lost", nodes: 2) { nodes in
            let accounts = ["a", "b", "c", "é", "Z"]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<32 {
                    group.addTask {
                        for turn in 0..<4 {
                            let named = writer % 2 == 0 ? accounts : accounts.reversed()
                            try await nodes.databases[writer % 2].write { tx in
                                try nodes.log.emit("test.counted", writer * 4 + turn, to: named, tx)
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            for account in accounts {
                let stored = try await nodes.stored(account)
                try expectEqual(stored.map(\.seq), Array(1...128))
                try expectEqual(stored.compactMap { Int($0.payload) }.sorted(), Array(0..<128))
            }
        },
        Check("A payload of 64 KB is stored; a larger one rolls back its write") { nodes in
            let largest = String(repeating: "é", count: 32_767)
            try await nodes.database.write { tx in try nodes.log.emit("test.said", largest, to: "a", tx) }
            try expectEqual(try await nodes.stored().map(\.payload.utf8.count), [EventLog.payloadLimit])
            let error = try await expectThrows {
                try await nodes.database.write { tx in
                    try nodes.log.emit("test.counted", 1, to: "a", tx)
                    try nodes.log.emit("test.said", largest + "x", to: "a", tx)
                }
            }
            try expectEqual(error as? LiveError, .payloadTooLarge(byteCount: 65_537))
            try expectEqual(try await nodes.head(), 1)
        },
        Check("Times within an account never decrease, even if the clock does") { nodes in
            let start = nodes.clock.now
            try await nodes.emit([1])
            nodes.clock.advance(by: .hours(-1))
            try await nodes.emit([2])
            try await nodes.emit([3], to: "b")
            nodes.clock.advance(by: .hours(2))
            try await nodes.emit([4])
            try expectEqual(try await nodes.stored("a").map(\.at), [start, start, start + .hours(1)])
            try expectEqual(try await nodes.stored("b").map(\.at), [start - .hours(1)])
        },
        Check("Erasing an account deletes its whole log, even events of the same write, and no other log") { nodes in
            try await nodes.emit(1...5, to: "a")
            try await nodes.emit(1...2, to: "b")
            try await nodes.database.write { tx in
                try nodes.log.emit("test.left", 1, to: ["a", "b"], tx)
                try nodes.log.erase("a", tx)
                try nodes.log.emit("test.left", 2, to: ["a", "b"], tx)
            }
            try expectEqual(try await nodes.stored("a"), [])
            try expectEqual(try await nodes.head("a"), 0)
            try expectEqual(try await nodes.stored("b").map(\.seq), [1, 2, 3, 4])
        },
        Check("Concurrent erasing and emitting leave a log that begins at 1 and has no gap", nodes: 2) { nodes in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<16 {
                    group.addTask {
                        for turn in 0..<10 { try await nodes.emit([writer * 10 + turn], node: writer % 2) }
                    }
                }
                group.addTask {
                    for _ in 0..<5 {
                        try await nodes.database.write { tx in try nodes.log.erase("a", tx) }
                        try await Task.sleep(for: .milliseconds(5))
                    }
                }
                try await group.waitForAll()
            }
            let stored = try await nodes.stored()
            try expectEqual(stored.map(\.seq), Array(1..<Int64(stored.count + 1)))
            try expectEqual(try await nodes.head(), Int64(stored.count))
        },
    ]
}
