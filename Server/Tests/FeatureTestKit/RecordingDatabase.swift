import Database
import Synchronization

/// A database that remembers what it was asked in reads, word for word: whatever a store does for a page can be measured afterwards.
final class RecordingDatabase: DatabaseDecorator {
    let base: any Database
    private let heard = Mutex<[SQL]>([])

    init(_ base: any Database) { self.base = base }

    /// The statements since the last call, in order.
    func statements() -> [SQL] {
        heard.withLock { heard in
            defer { heard = [] }; return heard
        }
    }

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        try await base.read { tx in
            try body(ReadTransaction(Recorder(tx.engine) { sql in self.heard.withLock { $0.append(sql) } }))
        }
    }

    private final class Recorder: TransactionEngine {
        private let base: any TransactionEngine
        private let hear: (SQL) -> Void

        init(_ base: any TransactionEngine, _ hear: @escaping (SQL) -> Void) {
            self.base = base
            self.hear = hear
        }

        func run(_ sql: SQL) throws -> Int { try base.run(sql) }
        func rows(_ sql: SQL) throws -> [Row] {
            hear(sql)
            return try base.rows(sql)
        }
        func each(_ sql: SQL, _ body: (inout RowReader) throws -> Void) throws {
            hear(sql)
            try base.each(sql, body)
        }
        func lock(_ key: String) throws { try base.lock(key) }
        var skippingLocked: SQL { base.skippingLocked }
        var tokenSearch: any TokenSearch { base.tokenSearch }
    }
}
