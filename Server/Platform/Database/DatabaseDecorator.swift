/// A database that wraps another one to count, record or fail some calls. Calls that the wrapper does not implement itself go to `base`.
///
/// A wrapper conforms to this protocol, not to `Database`: `Database` has no defaults, so that neither an engine nor a wrapper can forget
/// a requirement such as `scrub`.
package protocol DatabaseDecorator: Database {
    var base: any Database { get }
}

extension DatabaseDecorator {
    package func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        try await base.read(body)
    }

    /// Calls the wrapper's own `read`, not `base.list`: a wrapper that observes reads must see lists too.
    package func list<Element: Sendable>(
        _ sql: SQL, _ element: @escaping @Sendable (inout RowReader) throws -> Element
    ) async throws -> [Element] {
        try await read { tx in try tx.list(sql, element) }
    }

    package var threads: (any WorkThreads)? { base.threads }

    @discardableResult
    package func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        try await base.write(body)
    }

    /// Calls the wrapper's own `write`, for the same reason.
    @discardableResult
    package func run(_ sql: SQL) async throws -> Int {
        try await write { tx in try tx.run(sql) }
    }

    package func migrate(_ migrations: [Migration], release: Int) async throws { try await base.migrate(migrations, release: release) }
    package var wakes: Wakes { base.wakes }
    package func scrub(_ tables: [TokenTable]) async throws { try await base.scrub(tables) }
    package func releaseMemory() async { await base.releaseMemory() }
    package func tables() async throws -> [StoredTable] { try await base.tables() }
    package func plan(_ sql: SQL) async throws -> [String] { try await base.plan(sql) }
    package func close() async throws { try await base.close() }
}
