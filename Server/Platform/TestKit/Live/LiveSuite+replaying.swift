internal import Core
internal import Database
internal import Live

extension LiveSuite {
    static let replaying: [Check] = [
        Check("A subscriber with its last number gets the events it missed, then new ones") { nodes in
            try await nodes.emit(1...250)
            let subscription = try await nodes.hub.subscribe("a", since: 20)
            try expectEqual(try await take(230, subscription).map(\.seq), Array(21...250))
            try await nodes.emit(251...252)
            try expectEqual(try await take(2, subscription).map(\.payload), ["251", "252"])
            try expectEqual(subscription.last, 252)
        },
        Check("A subscriber without a number receives only later commits") { nodes in
            try await nodes.emit(1...3)
            let subscription = try await nodes.hub.subscribe("a", since: nil)
            try expectEqual(subscription.last, 3)
            try await nodes.emit([4])
            try expectEqual(try await take(1, subscription).map(\.seq), [4])
        },
        Check("A number below 0 is rejected as invalid") { nodes in
            let error = try await expectThrows { _ = try await nodes.hub.subscribe("a", since: -1) }
            try expectEqual((error as? Problem)?.kind, .invalid)
            try expectEqual(nodes.hub.counts.subscriptions, 0)
        },
        Check("A number older than the log resets to the head, and the next event follows") { nodes in
            try await nodes.emit(1...10)
            try await nodes.database.write { tx in try tx.run(EventLog.prune("a", through: 4)) }
            // A subscriber at 4 has seen all pruned events; one at 3 has not.
            let knows = try await nodes.hub.subscribe("a", since: 4)
            try expectEqual(try await take(6, knows).map(\.seq), Array(5...10))
            let missed = try await nodes.hub.subscribe("a", since: 3)
            try expectEqual(try await missed.next(), .reset(head: 10))
            try expectEqual(missed.last, 10)
            try await nodes.emit([11])
            try expectEqual(try await take(1, missed).map(\.seq), [11])
            try expectEqual(nodes.hub.counts.gaps, 0)
        },
        Check("A number greater than the head resets to the head", tick: .milliseconds(20)) { nodes in
            try await nodes.emit(1...3)
            for since in [4, 1_000, Int64.max] {
                let subscription = try await nodes.hub.subscribe("a", since: since)
                try expectEqual(try await subscription.next(), .reset(head: 3))
            }
            let exact = try await nodes.hub.subscribe("a", since: 3)
            try await nodes.emit([4])
            try expectEqual(try await take(1, exact).map(\.seq), [4])
        },
        Check("An empty log begins at 0, and a subscriber with a higher number is reset") { nodes in
            let wrong = try await nodes.hub.subscribe("a", since: 1)
            try expectEqual(try await wrong.next(), .reset(head: 0))
            let fresh = try await nodes.hub.subscribe("a", since: 0)
            let now = try await nodes.hub.subscribe("a", since: nil)
            try await nodes.emit([1])
            for subscription in [wrong, fresh, now] { try expectEqual(try await take(1, subscription).map(\.seq), [1]) }
        },
        Check("When all events are pruned, only subscribers that had not seen them are reset") { nodes in
            try await nodes.emit(1...5)
            try await nodes.database.write { tx in try tx.run(EventLog.prune("a", through: 5)) }
            let behind = try await nodes.hub.subscribe("a", since: 4)
            try expectEqual(try await behind.next(), .reset(head: 5))
            let there = try await nodes.hub.subscribe("a", since: 5)
            try await nodes.emit([6])
            try expectEqual(try await take(1, there).map(\.seq), [6])
        },
        Check("A gap that pruning did not make is never skipped: it causes a reset and is counted", tick: .milliseconds(20)) {
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
        Check("A subscriber whose account is erased is reset to 0, and a new log begins at 1") { nodes in
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
