import Database
import Synchronization

/// A database that counts the statements in each of its reads.
final class CountedStatements: DatabaseDecorator {
    let base: any Database
    private let counts = Mutex<[Int]>([])

    init(_ base: any Database) { self.base = base }

    /// The number of statements in each read, in the order in which the reads began.
    var ofReads: [Int] { counts.withLock { $0 } }

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        let index = counts.withLock { counts in
            counts.append(0)
            return counts.count - 1
        }
        return try await base.read { tx in
            try body(ReadTransaction(ObservedEngine(tx.engine) { _ in self.counts.withLock { $0[index] += 1 } }))
        }
    }
}
