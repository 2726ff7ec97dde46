internal import Core
internal import Database
internal import Live

/// The checks that the event log and the hub must pass on every engine. Any test target can run them:
///
///     @Test(arguments: LiveSuite.checks)
///     func holds(_ check: LiveSuite.Check) async throws { try await check.run(opener) }
package enum LiveSuite: ConformanceSuite {
    package typealias Opener = DatabaseSuite.Opener

    package struct Check: Sendable, CustomStringConvertible {
        /// States what the check verifies.
        package let description: String
        private let nodes: Int
        private let settings: Hub.Settings
        private let body: @Sendable (LiveNodes) async throws -> Void

        /// - Parameters:
        ///   - nodes: handles on the same store, each with a running hub; default 1.
        ///   - tick: the hubs' polling interval; default an hour, so that a delivered event proves a wake.
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
            // Letters and underscores only, so that every engine accepts the name.
            let store = "live_" + String(description.lowercased().map { $0.isASCII && $0.isLetter ? $0 : "_" }.prefix(55))
            try await LiveNodes.run(store, count: nodes, settings: settings, open) { nodes in
                try await within(.seconds(120)) { try await body(nodes) }
            }
        }
    }

    package static let checks: [Check] = emitting + replaying + subscribing + serving + polling + pruning + plans

    // MARK: Helpers for checks

    /// Cancels `body` and throws when it takes longer than `time`.
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

    /// Polls `holds` every few milliseconds, for at most a minute.
    static func until(line: Int = #line, _ holds: () async throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if try await holds() { return }
            try await Task.sleep(for: .milliseconds(2))
        }
        throw DatabaseSuite.Failure(description: "the condition did not hold within a minute (line \(line))")
    }

    /// Reads `count` items and throws unless all are events.
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

    /// Reads the next `count` items of a new subscription.
    static func collect(_ count: Int, _ hub: Hub, _ account: String, since: Int64?) async throws -> [Subscription.Item] {
        let subscription = try await hub.subscribe(account, since: since)
        var items: [Subscription.Item] = []
        while items.count < count { items.append(try await subscription.next()) }
        return items
    }
}
