internal import Core
internal import Database
internal import Synchronization

/// A database that counts its writes.
final class CountingWrites: Database {
    private let inner: any Database
    private let count = Mutex(0)

    init(_ inner: any Database) { self.inner = inner }

    var writes: Int { count.withLock { $0 } }

    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        count.withLock { $0 += 1 }
        return try await inner.write(body)
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T { try await inner.read(body) }
    func migrate(_ migrations: [Migration]) async throws { try await inner.migrate(migrations) }
    var wakes: Wakes { inner.wakes }
    func plan(_ sql: SQL) async throws -> [String] { try await inner.plan(sql) }
    func close() async throws { try await inner.close() }
}
