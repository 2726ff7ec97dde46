internal import Core
internal import Database
internal import Live

extension LiveSuite {
    private static func pruner(_ nodes: LiveNodes, kept: Int = 10_000, batch: Int = 200) -> EventPruner {
        var settings = EventPruner.Settings()
        settings.keptCount = kept
        settings.batchCount = batch
        return EventPruner(database: nodes.database, clock: nodes.clock.wall, logger: LiveNodes.logger, settings: settings)
    }

    static let pruning: [Check] = [
        Check("An event is kept for seven days, and its number is never reused") { nodes in
            try await nodes.emit(1...450)
            try await nodes.emit(1...3, to: "b")
            nodes.clock.advance(by: .hours(1))
            try await nodes.emit(451...500)
            nodes.clock.advance(by: .days(7) - .hours(1))
            try expectEqual(try await pruner(nodes).prune(now: nodes.clock.now), 0)
            nodes.clock.advance(by: .microseconds(1))
            try expectEqual(try await pruner(nodes).prune(now: nodes.clock.now), 453)
            try expectEqual(try await nodes.stored("a").map(\.seq), Array(451...500))
            try expectEqual(try await nodes.stored("b"), [])
            try expectEqual([try await nodes.head("a"), try await nodes.head("b")], [500, 3])
            nodes.clock.advance(by: .days(8))
            try expectEqual(try await pruner(nodes).prune(now: nodes.clock.now), 50)
            try await nodes.emit([501])
            try expectEqual(try await nodes.stored("a").map(\.seq), [501])
        },
        Check("A log above the length limit keeps its latest events; shorter logs keep all") { nodes in
            try await nodes.emit(1...1_000, to: "long")
            try await nodes.emit(1...100, to: "even")
            try await nodes.emit(1...99, to: "short")
            try expectEqual(try await pruner(nodes, kept: 100).prune(now: nodes.clock.now), 900)
            try expectEqual(try await nodes.stored("long").map(\.seq), Array(901...1_000))
            try expectEqual(try await nodes.stored("even").count, 100)
            try expectEqual(try await nodes.stored("short").count, 99)
            try expectEqual(try await pruner(nodes, kept: 100).prune(now: nodes.clock.now), 0)
        },
        Check("No write prunes more than its batch size") { nodes in
            try await nodes.emit(1...1_000)
            try await nodes.emit(1...1_000, to: "b")
            let counting = CountingWrites(nodes.database)
            var settings = EventPruner.Settings()
            settings.batchCount = 50
            settings.keptCount = 500
            let pruner = EventPruner(database: counting, clock: nodes.clock.wall, logger: LiveNodes.logger, settings: settings)
            try expectEqual(try await pruner.prune(now: nodes.clock.now), 1_000)
            try expectEqual(counting.writes, 20)
            nodes.clock.advance(by: .days(8))
            try expectEqual(try await pruner.prune(now: nodes.clock.now), 1_000)
            try expectEqual(counting.writes, 40)
        },
        Check("A subscriber whose next events are pruned is reset once and continues from the head") { nodes in
            try await nodes.emit(1...300)
            let subscription = try await nodes.hub.subscribe("a", since: 0)
            try expectEqual(try await take(50, subscription).map(\.seq), Array(1...50))
            try await nodes.database.write { tx in try tx.run(EventLog.prune("a", through: 250)) }
            // The page in memory is still delivered; the events after it are pruned.
            try expectEqual(try await take(50, subscription).map(\.seq), Array(51...100))
            try expectEqual(try await subscription.next(), .reset(head: 300))
            try await nodes.emit([301])
            try expectEqual(try await take(1, subscription).map(\.seq), [301])
            try expectEqual(nodes.hub.counts.gaps, 0)
        },
        Check("During emitting and pruning, delivered numbers are consecutive or follow a reset") { nodes in
            async let emitting: Void = {
                for start in stride(from: 0, to: 3_000, by: 10) { try await nodes.emit(start..<(start + 10)) }
            }()
            async let pruned = {
                var pruned = 0
                let pruner = pruner(nodes, kept: 30, batch: 7)
                while try await nodes.head() < 3_000 { pruned += try await pruner.prune(now: nodes.clock.now) }
                return pruned + (try await pruner.prune(now: nodes.clock.now))
            }()
            let subscription = try await nodes.hub.subscribe("a", since: 0)
            var last: Int64 = 0
            while last < 3_000 {
                switch try await subscription.next() {
                case .event(let event):
                    try expectEqual(event.seq, last + 1)
                    try expectEqual(event.payload, "\(last)")
                    last = event.seq
                    // Slow enough that pruning overtakes it at times.
                    if last % 100 == 0 { try await Task.sleep(for: .milliseconds(20)) }
                case .reset(let head):
                    try expect(head > last, "a reset from \(last) to \(head)")
                    last = head
                }
            }
            try await emitting
            try expectEqual(try await pruned, 2_970)
            try expectEqual(nodes.hub.counts.gaps, 0)
        },
        Check("The pruner runs pass after pass, even after a failed one, until the server stops") { nodes in
            try await nodes.emit(1...3)
            nodes.clock.advance(by: .days(8))
            let flaky = FlakyReads(nodes.database)
            flaky.fail(true)
            let pruner = EventPruner(database: flaky, clock: nodes.clock.wall, logger: LiveNodes.logger) { time in
                try expectEqual(time, .minutes(5))
                // The first pass fails, the second prunes what expired before it, the third what expired since.
                if try await nodes.stored() == [] {
                    if try await nodes.head() == 4 { throw CancellationError() }
                    try await nodes.emit([4])
                    nodes.clock.advance(by: .days(8))
                }
                flaky.fail(false)
            }
            try await pruner.run()
            try expectEqual(flaky.failures, 1)
            try expectEqual(try await nodes.stored(), [])
            try expectEqual(try await nodes.head(), 4)
        },
    ]
}
