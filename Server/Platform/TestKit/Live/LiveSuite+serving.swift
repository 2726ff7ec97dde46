internal import Core
internal import Database
internal import Live
internal import ServiceLifecycle

extension LiveSuite {
    static let serving: [Check] = [
        Check("Events emitted through another handle arrive, by a wake or by the next poll", nodes: 2, tick: .milliseconds(100)) {
            nodes in
            async let received = collect(3, nodes.hubs[1], "a", since: nil)
            try await until { nodes.hubs[1].counts.waiting == 1 }
            for number in 1...3 {
                try await nodes.emit([number], node: 0)
                try await Task.sleep(for: .milliseconds(50))
            }
            try expectEqual(try await received, try await nodes.stored().map { .event($0) })
        },
        Check("A thousand waiting accounts cost a few polls together and no reads", tick: .milliseconds(50)) { nodes in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<1_100 { group.addTask { _ = try await collect(1, nodes.hub, "waits-\(number)", since: 0) } }
                try await until { nodes.hub.counts.waiting == 1_100 }
                let start = ContinuousClock.now
                let before = nodes.hub.counts
                try await Task.sleep(for: .milliseconds(500))
                try await until { nodes.hub.counts.looks > before.looks }
                let after = nodes.hub.counts
                let ticks = Int((ContinuousClock.now - start) / .milliseconds(50))
                try expectEqual(after.reads, before.reads)
                try expectEqual(after.accounts, 1_100)
                // Three batches for each poll, and as many polls as the time allows.
                try expect(after.looks - before.looks <= 3 * (ticks + 2), "\(after.looks - before.looks) looks in \(ticks) ticks")
                // Finds the accounts whose log has grown, and no others.
                for number in [7, 700] {
                    try await nodes.database.write { tx in
                        // A plain INSERT wakes no hub.
                        try tx.run("INSERT INTO event_head (account, seq, at) VALUES (\("waits-\(number)"), 1, 1)")
                        try tx.run(
                            "INSERT INTO event (account, seq, at, kind, payload) VALUES (\("waits-\(number)"), 1, 1, 'test.counted', '1')")
                    }
                }
                for _ in 0..<2 { try await group.next() }
                try expectEqual(nodes.hub.counts.found, 2)
                try expectEqual(nodes.hub.counts.reads, after.reads + 2)
                group.cancelAll()
            }
            try expectEqual(nodes.hub.counts.waiting, 0)
        },
        Check("At shutdown every wait ends with the defined error, and new subscriptions are rejected") { nodes in
            let hub = Hub(database: nodes.database, logger: LiveNodes.logger)
            let pruner = EventPruner(database: nodes.database, clock: nodes.clock.wall, logger: LiveNodes.logger)
            let services = ServiceGroup(
                services: [pruner, hub], gracefulShutdownSignals: [], cancellationSignals: [], logger: LiveNodes.logger)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await services.run() }
                let errors = try await withThrowingTaskGroup(of: (any Error).self) { waits in
                    for number in 0..<10 {
                        waits.addTask { try await expectThrows { try await collect(1, hub, "a\(number)", since: 0) } }
                    }
                    try await until { hub.counts.waiting == 10 }
                    await services.triggerGracefulShutdown()
                    return try await waits.reduce(into: []) { $0.append($1) }
                }
                try expectEqual(errors.compactMap { $0 as? LiveError }, [LiveError](repeating: .shuttingDown, count: 10))
                try await group.waitForAll()
            }
            let late = try await expectThrows { _ = try await hub.subscribe("a", since: 0) }
            try expectEqual(late as? LiveError, .shuttingDown)
            try expectEqual([hub.counts.subscriptions, hub.counts.waiting], [0, 0])
        },
        Check("A failed poll is retried") { nodes in
            let flaky = FlakyReads(nodes.database)
            var settings = Hub.Settings()
            settings.tick = .milliseconds(10)
            let hub = Hub(database: flaky, logger: LiveNodes.logger, settings: settings)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await hub.run() }
                async let received = collect(1, hub, "a", since: 0)
                try await until { hub.counts.waiting == 1 }
                flaky.fail(true)
                // Waits for a failed poll, because a poll that began before `fail(true)` could still find what is written now.
                try await until { flaky.failures > 0 }
                let failures = flaky.failures
                try await nodes.database.write { tx in
                    // A plain INSERT wakes no hub.
                    try tx.run("INSERT INTO event_head (account, seq, at) VALUES ('a', 1, 1)")
                    try tx.run("INSERT INTO event (account, seq, at, kind, payload) VALUES ('a', 1, 1, 'test.counted', '1')")
                }
                try await until { flaky.failures > failures + 3 }
                flaky.fail(false)
                try expectEqual(try await received.count, 1)
                group.cancelAll()
            }
        },
        Check("A failed read throws to the subscriber, and its next call continues where it was") { nodes in
            let flaky = FlakyReads(nodes.database)
            let hub = Hub(database: flaky, logger: LiveNodes.logger)
            let subscription = try await hub.subscribe("a", since: 0)
            try await nodes.emit(1...2)
            try expectEqual(try await take(2, subscription).map(\.seq), [1, 2])
            flaky.fail(true)
            try await nodes.emit([3])
            for _ in 0..<2 {
                let error = try await expectThrows { try await subscription.next() }
                try expectEqual(error as? DatabaseError, .unavailable("told to"))
            }
            let refused = try await expectThrows { _ = try await hub.subscribe("a", since: nil) }
            try expectEqual(refused as? DatabaseError, .unavailable("told to"))
            try expectEqual(hub.counts.subscriptions, 1)
            flaky.fail(false)
            try expectEqual(try await take(1, subscription).map(\.seq), [3])
        },
    ]
}
