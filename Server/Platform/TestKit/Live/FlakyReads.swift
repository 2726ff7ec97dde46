internal import Core
internal import Database
internal import Synchronization

/// A database whose reads fail while they are told to.
final class FlakyReads: Database {
    private let inner: any Database
    private let state = Mutex((isFailing: false, failures: 0))

    init(_ inner: any Database) { self.inner = inner }

    func fail(_ fails: Bool) { state.withLock { $0.isFailing = fails } }
    var failures: Int { state.withLock { $0.failures } }

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        try state.withLock { state in
            guard state.isFailing else { return }
            state.failures += 1
            throw DatabaseError.unavailable("told to")
        }
        return try await inner.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T { try await inner.write(body) }
    func migrate(_ migrations: [Migration]) async throws { try await inner.migrate(migrations) }
    var wakes: Wakes { inner.wakes }
    func plan(_ sql: SQL) async throws -> [String] { try await inner.plan(sql) }
    func close() async throws { try await inner.close() }
}
