internal import Core
internal import Database
internal import Synchronization

/// A database that counts its writes.
final class CountingWrites: DatabaseDecorator {
    let base: any Database
    private let count = Mutex(0)

    init(_ base: any Database) { self.base = base }

    var writes: Int { count.withLock { $0 } }

    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        count.withLock { $0 += 1 }
        return try await base.write(body)
    }
}
