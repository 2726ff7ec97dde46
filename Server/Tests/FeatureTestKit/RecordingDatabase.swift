import Database
import Synchronization

/// A database that records the statements of its reads, so that tests can measure what a store executes for one page.
final class RecordingDatabase: DatabaseDecorator {
    let base: any Database
    private let recorded = Mutex<[SQL]>([])

    init(_ base: any Database) { self.base = base }

    /// Returns the statements since the last call, in order, and clears the record.
    func statements() -> [SQL] {
        recorded.withLock { recorded in
            defer { recorded = [] }; return recorded
        }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        try await base.read { tx in
            try body(ReadTransaction(ObservedEngine(tx.engine) { sql in self.recorded.withLock { $0.append(sql) } }))
        }
    }
}
