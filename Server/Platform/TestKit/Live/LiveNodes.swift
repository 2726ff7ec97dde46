internal import Core
package import Database
package import Live
package import Logging

/// Nodes on one store. Each has its own handle, as another process would, and a running hub.
package struct LiveNodes: Sendable {
    package let databases: [any Database]
    package let hubs: [Hub]
    package let clock = TestClock()

    package static let logger = Logger(label: "live") { _ in SwiftLogNoOpLogHandler() }

    package var database: any Database { databases[0] }
    package var hub: Hub { hubs[0] }
    package var log: EventLog { EventLog(clock: clock.wall) }

    /// Opens `count` nodes, runs their hubs while `body` runs, and closes everything.
    package static func run<T: Sendable>(
        _ store: String, count: Int, settings: Hub.Settings, _ open: DatabaseSuite.Opener,
        _ body: @escaping @Sendable (LiveNodes) async throws -> T
    ) async throws -> T {
        var databases: [any Database] = []
        do {
            for _ in 0..<count { databases.append(try await open(store)) }
            try await databases[0].migrate(EventLog.migrations)
            let nodes = LiveNodes(databases: databases, hubs: databases.map { Hub(database: $0, logger: logger, settings: settings) })
            let value = try await withThrowingTaskGroup(of: Void.self) { group in
                for hub in nodes.hubs { group.addTask { try await hub.run() } }
                defer { group.cancelAll() }
                return try await body(nodes)
            }
            for database in databases { try await database.close() }
            return value
        } catch {
            for database in databases { try? await database.close() }
            throw error
        }
    }

    // MARK: Shorthands for checks

    /// Emits one event for each number in a single write. The payload is the number.
    package func emit(_ numbers: some Sequence<Int> & Sendable, to account: String = "a", node: Int = 0) async throws {
        try await databases[node].write { [log] tx in for number in numbers { try log.emit("test.counted", number, to: account, tx) } }
    }

    /// The log's events, oldest first.
    package func stored(_ account: String = "a") async throws -> [Event] {
        try await database.read { tx in
            try tx.rows(EventLog.page(account, after: 0, count: 1_000_000)).map { row in
                Event(
                    account: account, seq: try row.get("seq"), at: try row.get("at"), kind: Event.Kind(named: try row.get("kind")),
                    payload: try row.get("payload"))
            }
        }
    }

    package func head(_ account: String = "a") async throws -> Int64 {
        try await database.read { tx in try EventLog.head(account, tx) }
    }
}
