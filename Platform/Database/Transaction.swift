/// What an engine does inside a transaction, on the transaction's thread.
protocol TransactionEngine: AnyObject {
    /// - Returns: how many rows the statement changed.
    func run(_ sql: SQL) throws -> Int
    func rows(_ sql: SQL) throws -> [Row]
    func lock(_ key: String) throws
}

/// A snapshot to read from. Not to be kept beyond the closure it was given to.
package class ReadTransaction {
    let engine: any TransactionEngine

    init(_ engine: any TransactionEngine) { self.engine = engine }

    package final func rows(_ sql: SQL) throws -> [Row] { try engine.rows(sql) }

    /// The first row, or `nil` when there is none.
    package final func row(_ sql: SQL) throws -> Row? { try engine.rows(sql).first }
}

package final class WriteTransaction: ReadTransaction {
    /// - Returns: how many rows the statement changed.
    @discardableResult
    package func run(_ sql: SQL) throws -> Int { try engine.run(sql) }

    /// Holds off every other transaction that asks for the same key, until this one ends: for check-then-write.
    /// SQLite has one writer at a time and needs nothing; PostgreSQL takes an advisory lock.
    package func lock(_ key: String) throws { try engine.lock(key) }
}
