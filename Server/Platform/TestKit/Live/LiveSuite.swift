internal import Core
internal import Database
internal import Live

/// What the event log and the hub must do on every engine, as checks that any test target can run:
///
///     @Test(arguments: LiveSuite.checks)
///     func holds(_ check: LiveSuite.Check) async throws { try await check.run(opener) }
package enum LiveSuite: ConformanceSuite {
    package typealias Opener = DatabaseSuite.Opener

    package struct Check: Sendable, CustomStringConvertible {
        /// A sentence about the room.
        package let description: String
        private let nodes: Int
        private let settings: Hub.Settings
        private let body: @Sendable (LiveNodes) async throws -> Void

        /// - Parameters:
        ///   - nodes: handles on the same store, each with a hub that runs; default 1.
        ///   - tick: of the hubs; default an hour, so that what is heard was woken.
        init(
            _ description: String, nodes: Int = 1, tick: Duration = .hours(1), pageLimit: Int = 100,
            _ body: @escaping @Sendable (LiveNodes) async throws -> Void
        ) {
            self.description = description
            self.nodes = nodes
            var settings = Hub.Settings()
            settings.tick = tick
            settings.pageLimit = pageLimit
            self.settings = settings
            self.body = body
        }

        package func run(_ open: @escaping Opener) async throws {
            // Letters and underscores: a name any engine can take.
            let store = "live_" + String(description.lowercased().map { $0.isASCII && $0.isLetter ? $0 : "_" }.prefix(55))
            try await LiveNodes.run(store, count: nodes, settings: settings, open) { nodes in
                try await within(.seconds(120)) { try await body(nodes) }
            }
        }
    }

    package static let checks: [Check] = emitting + replaying + subscribing + serving + polling + pruning + plans

    // MARK: What checks say

    /// Cancels `body` when it takes longer, and says so.
    static func within<T: Sendable>(_ time: Duration, line: Int = #line, _ body: @escaping @Sendable () async throws -> T) async throws -> T
    {
        try await withThrowingTaskGroup(of: T?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                try await Task.sleep(for: time)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let value = first else {
                throw DatabaseSuite.Failure(description: "not done after \(time) (line \(line))")
            }
            return value
        }
    }

    /// Looks every few milliseconds, for at most a minute.
    static func until(line: Int = #line, _ holds: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if try await holds() { return }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw DatabaseSuite.Failure(description: "it never came to be (line \(line))")
    }

    /// Reads `count` items, which must be events.
    nonisolated(nonsending) static func take(_ count: Int, _ subscription: Subscription, line: Int = #line) async throws -> [Event] {
        var events: [Event] = []
        while events.count < count {
            guard case .event(let event) = try await subscription.next() else {
                throw DatabaseSuite.Failure(description: "a reset among events (line \(line))")
            }
            events.append(event)
        }
        return events
    }

    /// What the next `count` items of a subscription of its own are.
    static func collect(_ count: Int, _ hub: Hub, _ account: String, since: Int64?) async throws -> [Subscription.Item] {
        let subscription = try await hub.subscribe(account, since: since)
        var items: [Subscription.Item] = []
        while items.count < count { items.append(try await subscription.next()) }
        return items
    }
}
