import Database
import Synchronization

/// A database that counts its read and write transactions.
final class CountingDatabase: DatabaseDecorator {
    let base: any Database
    private let counts = Mutex((reads: 0, writes: 0))

    init(_ base: any Database) { self.base = base }

    var reads: Int { counts.withLock { $0.reads } }
    var writes: Int { counts.withLock { $0.writes } }

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        counts.withLock { $0.reads += 1 }
        return try await base.read(body)
    }

    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        counts.withLock { $0.writes += 1 }
        return try await base.write(body)
    }
}
