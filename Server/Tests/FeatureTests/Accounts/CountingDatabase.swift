import Database
import Synchronization

/// A database that counts what is asked of it.
final class CountingDatabase: Database {
    private let base: any Database
    private let counts = Mutex((reads: 0, writes: 0))

    init(_ base: any Database) { self.base = base }

    var reads: Int { counts.withLock { $0.reads } }
    var writes: Int { counts.withLock { $0.writes } }

    var wakes: Wakes { base.wakes }

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        counts.withLock { $0.reads += 1 }
        return try await base.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        counts.withLock { $0.writes += 1 }
        return try await base.write(body)
    }

    func migrate(_ migrations: [Migration]) async throws { try await base.migrate(migrations) }
    func plan(_ sql: SQL) async throws -> [String] { try await base.plan(sql) }
    func close() async throws { try await base.close() }
}
