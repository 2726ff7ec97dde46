internal import Core
internal import Database
internal import Live

extension LiveSuite {
    static let polling: [Check] = [
        Check("A poll returns stored events at once, page by page") { nodes in
            try await nodes.emit(1...130)
            let stored = try await nodes.stored()
            let first = try await nodes.hub.poll("a", since: 0, limit: 1_000, wait: .seconds(25))
            try expectEqual(first, Poll(events: Array(stored[..<100]), next: 100))
            let second = try await nodes.hub.poll("a", since: first.next, limit: 20, wait: .seconds(25))
            try expectEqual(second, Poll(events: Array(stored[100..<120]), next: 120))
            let least = try await nodes.hub.poll("a", since: 128, limit: -5, wait: .zero)
            try expectEqual(least, Poll(events: [stored[128]], next: 129))
            try expectEqual(nodes.hub.counts.subscriptions, 0)
        },
        Check("A poll waits for the next event") { nodes in
            try await nodes.emit([1])
            async let polled = nodes.hub.poll("a", since: nil, wait: .seconds(25))
            try await until { nodes.hub.counts.waiting == 1 }
            try await nodes.emit(2...3)
            let stored = try await nodes.stored()
            try expectEqual(try await polled, Poll(events: [stored[1], stored[2]], next: 3))
        },
        Check("A poll that times out returns no event, and a next number to continue from") { nodes in
            try await nodes.emit(1...2)
            let start = ContinuousClock.now
            try expectEqual(try await nodes.hub.poll("a", since: 2, wait: .milliseconds(100)), Poll(next: 2))
            try expect(ContinuousClock.now - start >= .milliseconds(100), "too early")
            try expectEqual(try await nodes.hub.poll("a", since: nil, wait: .zero), Poll(next: 2))
            try expectEqual(try await nodes.hub.poll("a", since: nil, wait: .seconds(-1)), Poll(next: 2))
            try expectEqual([nodes.hub.counts.waiting, nodes.hub.counts.subscriptions], [0, 0])
        },
        Check("A poll waits at most 25 seconds, even if the client asks for more") { nodes in
            let asked = Pauses()
            let hub = Hub(database: nodes.database, logger: LiveNodes.logger) { time in await asked.add(time) }
            try expectEqual(try await hub.poll("a", since: 0, wait: .hours(1)), Poll(next: 0))
            let times = await asked.times
            try expect(times.count == 1 && times[0] > .seconds(10) && times[0] <= .seconds(25), "\(times)")
        },
        Check("A poll returns a reset when its number was pruned or never existed") { nodes in
            try await nodes.emit(1...9)
            try await nodes.database.write { tx in try tx.run(EventLog.prune("a", through: 5)) }
            for since in [4, 10] as [Int64] {
                try expectEqual(try await nodes.hub.poll("a", since: since, wait: .seconds(25)), Poll(next: 9, isReset: true))
            }
            try expectEqual(try await nodes.hub.poll("a", since: 5, wait: .zero).events.count, 4)
        },
        Check("A cancelled poll ends at once; at shutdown a poll returns no event") { nodes in
            let hub = Hub(database: nodes.database, logger: LiveNodes.logger)
            try await withThrowingTaskGroup(of: Poll.self) { group in
                group.addTask { try await hub.poll("a", since: 0, wait: .seconds(25)) }
                try await until { hub.counts.waiting == 1 }
                group.cancelAll()
                let error = try await expectThrows { try await group.next() }
                try expect(error is CancellationError, "\(error)")
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await hub.run() }
                async let polled = hub.poll("a", since: 0, wait: .seconds(25))
                try await until { hub.counts.waiting == 1 }
                group.cancelAll()
                try expectEqual(try await polled, Poll(next: 0))
            }
        },
        Check("A poll counts as a subscription of its account") { nodes in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = try await nodes.hub.poll("a", since: 0, wait: .seconds(25)) } }
                try await until { nodes.hub.counts.waiting == 20 }
                let error = try await expectThrows { try await nodes.hub.poll("a", since: 0, wait: .zero) }
                try expectEqual((error as? Problem)?.kind, .tooManyRequests)
                group.cancelAll()
            }
        },
    ]

    private actor Pauses {
        var times: [Duration] = []
        func add(_ time: Duration) { times.append(time) }
    }
}
