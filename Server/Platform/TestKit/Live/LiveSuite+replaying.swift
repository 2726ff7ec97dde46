internal import Core
internal import Database
internal import Live

extension LiveSuite {
    static let replaying: [Check] = [
        Check("Who comes back with its last number gets what it missed, and then what happens") { nodes in
            try await nodes.emit(1...250)
            let subscription = try await nodes.hub.subscribe("a", since: 20)
            try expectEqual(try await take(230, subscription).map(\.seq), Array(21...250))
            try await nodes.emit(251...252)
            try expectEqual(try await take(2, subscription).map(\.payload), ["251", "252"])
            try expectEqual(subscription.last, 252)
        },
        Check("Who comes without a number hears only what is committed from then on") { nodes in
            try await nodes.emit(1...3)
            let subscription = try await nodes.hub.subscribe("a", since: nil)
            try expectEqual(subscription.last, 3)
            try await nodes.emit([4])
            try expectEqual(try await take(1, subscription).map(\.seq), [4])
        },
        Check("A number below 0 is the caller's mistake") { nodes in
            let error = try await expectThrows { _ = try await nodes.hub.subscribe("a", since: -1) }
            try expectEqual((error as? Problem)?.kind, .invalid)
            try expectEqual(nodes.hub.counts.subscriptions, 0)
        },
        Check("A number older than what is kept is a reset to the head, and the next event follows it") { nodes in
            try await nodes.emit(1...10)
            try await nodes.database.write { tx in try tx.run(EventLog.prune("a", through: 4)) }
            // 4 has seen all that is gone; 3 has not.
            let knows = try await nodes.hub.subscribe("a", since: 4)
            try expectEqual(try await take(6, knows).map(\.seq), Array(5...10))
            let missed = try await nodes.hub.subscribe("a", since: 3)
            try expectEqual(try await missed.next(), .reset(head: 10))
            try expectEqual(missed.last, 10)
            try await nodes.emit([11])
            try expectEqual(try await take(1, missed).map(\.seq), [11])
            try expectEqual(nodes.hub.counts.gaps, 0)
        },
        Check("A number greater than the head is a reset to the head", tick: .milliseconds(20)) { nodes in
            try await nodes.emit(1...3)
            for since in [4, 1_000, Int64.max] {
                let subscription = try await nodes.hub.subscribe("a", since: since)
                try expectEqual(try await subscription.next(), .reset(head: 3))
            }
            let exact = try await nodes.hub.subscribe("a", since: 3)
            try await nodes.emit([4])
            try expectEqual(try await take(1, exact).map(\.seq), [4])
        },
        Check("A log without any event begins at 0, and whoever knows more is reset") { nodes in
            let wrong = try await nodes.hub.subscribe("a", since: 1)
            try expectEqual(try await wrong.next(), .reset(head: 0))
            let fresh = try await nodes.hub.subscribe("a", since: 0)
            let now = try await nodes.hub.subscribe("a", since: nil)
            try await nodes.emit([1])
            for subscription in [wrong, fresh, now] { try expectEqual(try await take(1, subscription).map(\.seq), [1]) }
        },
        Check("When all events are pruned, who had seen them goes on and who had not is reset") { nodes in
            try await nodes.emit(1...5)
            try await nodes.database.write { tx in try tx.run(EventLog.prune("a", through: 5)) }
            let behind = try await nodes.hub.subscribe("a", since: 4)
            try expectEqual(try await behind.next(), .reset(head: 5))
            let there = try await nodes.hub.subscribe("a", since: 5)
            try await nodes.emit([6])
            try expectEqual(try await take(1, there).map(\.seq), [6])
        },
        Check("A hole that no pruning makes is never passed over: what is before it, a reset, and a count of it", tick: .milliseconds(20)) {
            nodes in
            try await nodes.emit(1...9)
            try await nodes.database.write { tx in try tx.run("DELETE FROM event WHERE account = 'a' AND seq = 5") }
            let subscription = try await nodes.hub.subscribe("a", since: 0)
            try expectEqual(try await take(4, subscription).map(\.seq), [1, 2, 3, 4])
            try expectEqual(try await subscription.next(), .reset(head: 9))
            try expectEqual(nodes.hub.counts.gaps, 1)
            try await nodes.emit([10])
            try expectEqual(try await take(1, subscription).map(\.seq), [10])
        },
        Check("Who listens while its account is erased is reset to 0, and a new log begins at 1") { nodes in
            try await nodes.emit(1...5)
            async let items = collect(2, nodes.hub, "a", since: 5)
            try await until { nodes.hub.counts.waiting == 1 }
            try await nodes.database.write { tx in try nodes.log.erase("a", tx) }
            try await until { nodes.hub.counts.resets == 1 && nodes.hub.counts.waiting == 1 }
            try await nodes.emit([1])
            let event = try await nodes.stored()[0]
            try expectEqual(try await items, [.reset(head: 0), .event(event)])
        },
    ]
}
