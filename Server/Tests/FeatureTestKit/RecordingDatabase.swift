import Database
import Synchronization

/// A database that records the statements of its reads, so that tests can measure what a store executes for a page.
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
            try body(ReadTransaction(Recorder(tx.engine) { sql in self.recorded.withLock { $0.append(sql) } }))
        }
    }

    private final class Recorder: TransactionEngine {
        private let base: any TransactionEngine
        private let record: (SQL) -> Void

        init(_ base: any TransactionEngine, _ record: @escaping (SQL) -> Void) {
            self.base = base
            self.record = record
        }

        func run(_ sql: SQL) throws -> Int { try base.run(sql) }
        func send(_ sql: SQL, _ expected: ExpectedCount?) throws { try base.send(sql, expected) }
        func rows(_ sql: SQL) throws -> [Row] {
            record(sql)
            return try base.rows(sql)
        }
        func each(_ sql: SQL, _ body: (inout RowReader) throws -> Void) throws {
            record(sql)
            try base.each(sql, body)
        }
        func lock(_ key: String) throws { try base.lock(key) }
        var skippingLocked: SQL { base.skippingLocked }
        var tokenSearch: any TokenSearch { base.tokenSearch }
    }
}
