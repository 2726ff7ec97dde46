internal import Core
internal import Database
internal import Live
internal import Synchronization

extension LiveSuite {
    static let subscribing: [Check] = [
        Check("A waiting subscriber receives a commit at once, and nothing that is rolled back or of others") { nodes in
            async let received = collect(2, nodes.hub, "a", since: nil)
            try await until { nodes.hub.counts.waiting == 1 }
            _ = try await expectThrows {
                try await nodes.database.write { tx in
                    try nodes.log.emit("test.counted", 0, to: "a", tx)
                    throw LiveError.shuttingDown
                }
            }
            try await nodes.emit([1], to: "b")
            try await nodes.emit([2])
            try await nodes.emit([3])
            try expectEqual(try await received, try await nodes.stored().map { .event($0) })
            // The hub did not need to poll for these events: only the start of the subscription and the two events for this account caused
            // reads. An engine that notifies over a connection polls once when that connection is established.
            let counts = nodes.hub.counts
            try expect(counts.looks <= 1 && counts.reads <= 3 + counts.looks, "\(counts)")
        },
        Check("All subscriptions of an account receive the same events") { nodes in
            let received = try await withThrowingTaskGroup(of: [Subscription.Item].self) { group in
                for _ in 0..<20 { group.addTask { try await collect(50, nodes.hub, "a", since: nil) } }
                try await until { nodes.hub.counts.waiting == 20 }
                for number in 1...50 { try await nodes.emit([number]) }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let stored = try await nodes.stored().map { Subscription.Item.event($0) }
            for items in received { try expectEqual(items, stored) }
        },
        Check("A slow reader holds one page in memory and misses no event", pageLimit: 10) { nodes in
            try await nodes.emit(1...500)
            let subscription = try await nodes.hub.subscribe("a", since: 0)
            try expectEqual(try await take(1, subscription).map(\.seq), [1])
            for number in 501...1_000 { try await nodes.emit([number]) }
            try await Task.sleep(for: .milliseconds(50))
            try expectEqual(nodes.hub.counts.events, 10)
            try expectEqual(try await take(999, subscription).map(\.seq), Array(2...1_000))
            try expectEqual(nodes.hub.counts.reads, 100)
        },
        Check("An account's 21st subscription is rejected; ending one permits another, and accounts do not share") { nodes in
            let error = try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = try await collect(1, nodes.hub, "a", since: 0) } }
                try await until { nodes.hub.counts.waiting == 20 }
                let error = try await expectThrows { _ = try await nodes.hub.subscribe("a", since: 0) }
                _ = try await nodes.hub.subscribe("b", since: 0)
                group.cancelAll()
                return error
            }
            let problem = error as? Problem
            try expectEqual(problem?.kind, .tooManyRequests)
            try expect(problem?.retryAfter != nil, "the error has no retryAfter")
            try expectEqual(nodes.hub.counts.refused, 1)
            _ = try await nodes.hub.subscribe("a", since: 0)
            try expectEqual(nodes.hub.counts.subscriptions, 0)
            try expectEqual(nodes.hub.counts.accounts, 0)
        },
        Check("A cancelled wait ends at once, and another task can subscribe next") { nodes in
            for _ in 0..<200 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { _ = try await collect(1, nodes.hub, "a", since: nil) }
                    // Cancels before the wait in some rounds and during it in others.
                    if Bool.random() { try await until { nodes.hub.counts.waiting == 1 } }
                    group.cancelAll()
                    let error = try await expectThrows { try await group.waitForAll() }
                    try expect(error is CancellationError, "\(error)")
                }
                try expectEqual(nodes.hub.counts.waiting, 0)
                try expectEqual(nodes.hub.counts.subscriptions, 0)
            }
        },
        Check("A subscriber that reconnects again and again receives every number once") { nodes in
            async let emitting: Void = {
                for number in 1...300 { try await nodes.emit([number]) }
            }()
            let seen = Numbers()
            while seen.all.count < 300 {
                await withTaskGroup(of: Void.self) { group in
                    group.addTask {
                        guard let subscription = try? await nodes.hub.subscribe("a", since: seen.all.last ?? 0) else { return }
                        while case .event(let event)? = try? await subscription.next() { seen.add(event.seq) }
                    }
                    group.addTask { try? await Task.sleep(for: .milliseconds(.random(in: 0...20))) }
                    await group.next()
                    group.cancelAll()
                }
            }
            try await emitting
            try expectEqual(seen.all, Array(1...300))
        },
    ]

    private final class Numbers: Sendable {
        private let numbers = Mutex<[Int64]>([])
        var all: [Int64] { numbers.withLock { $0 } }
        func add(_ number: Int64) { numbers.withLock { $0.append(number) } }
    }
}
