/// An engine's operations inside a transaction, called on the transaction's thread.
package protocol TransactionEngine: AnyObject {
    /// - Returns: how many rows the statement changed.
    func run(_ sql: SQL) throws -> Int
    /// Runs the statement at the latest together with the next one whose result is needed, or with COMMIT. Statements run in the order of
    /// the calls.
    func send(_ sql: SQL, _ expected: ExpectedCount?) throws
    func rows(_ sql: SQL) throws -> [Row]
    /// The first row, or `nil` when there is none. SQLite reads no further rows, unless the statement writes. PostgreSQL sends all of them.
    func row(_ sql: SQL) throws -> Row?
    /// Calls `body` for each row.
    func each(_ sql: SQL, _ body: (inout RowReader) throws -> Void) throws
    func lock(_ key: String) throws
    func tryLock(_ keys: [String]) throws -> Set<String>
    /// The end of a SELECT that claims rows, so that concurrent claims do not wait for each other.
    var skippingLocked: SQL { get }
    /// The clause at the end of a SELECT that locks the rows it returns, in their order.
    var lockingRows: SQL { get }
    /// Whether other requesters wait while this transaction runs, or soon will.
    var delaysOthers: Bool { get }
    var tokenSearch: any TokenSearch { get }
}

/// How many rows a statement must change, and the error of the transaction if it changes another number.
package struct ExpectedCount {
    private let count: Int
    private let error: any Error

    init(_ count: Int, _ error: any Error) {
        self.count = count
        self.error = error
    }

    package func check(_ changed: Int) throws {
        if changed != count { throw error }
    }
}

/// A snapshot to read from. Do not keep it beyond the closure that receives it.
package class ReadTransaction {
    package let engine: any TransactionEngine

    package init(_ engine: any TransactionEngine) { self.engine = engine }

    package final func rows(_ sql: SQL) throws -> [Row] { try engine.rows(sql) }

    /// Returns `element`'s result for each row. `element` must not run statements of its own.
    package final func list<Element>(_ sql: SQL, _ element: (inout RowReader) throws -> Element) throws -> [Element] {
        var list: [Element] = []
        try engine.each(sql) { row in
            // After a second row, many more usually follow. Growing by doubling from there would move a page's first rows five times.
            if list.count == 1 { list.reserveCapacity(32) }
            list.append(try element(&row))
        }
        return list
    }

    /// Returns `element`'s result for the first row, or `nil` when there is none.
    package final func first<Element>(_ sql: SQL, _ element: (inout RowReader) throws -> Element) throws -> Element? {
        try list(sql, element).first
    }

    /// The first row, or `nil` when there is none. On PostgreSQL, a statement that may find many rows needs a LIMIT.
    package final func row(_ sql: SQL) throws -> Row? { try engine.row(sql) }

    /// The engine's full-text search.
    package final var tokenSearch: any TokenSearch { engine.tokenSearch }
}

package final class WriteTransaction: ReadTransaction {
    private var endings: [any WriteEnding] = []
    /// Posted once this transaction is durable.
    package private(set) var wakes: Set<Wake> = []

    /// - Returns: how many rows the statement changed.
    @discardableResult
    package func run(_ sql: SQL) throws -> Int { try engine.run(sql) }

    /// Runs a statement whose result the closure does not need. PostgreSQL receives it together with the next statement whose result is
    /// needed, or with COMMIT, so it costs no round trip of its own. SQLite runs it at once.
    ///
    /// An error of the statement fails the transaction like an error of `run`, but a later call may throw it, at the latest `write`.
    package func send(_ sql: SQL) throws { try engine.send(sql, nil) }

    /// Like `send(_:)`, for a statement that must change `count` rows. If it changes another number, the transaction fails with `error` and
    /// is not committed.
    package func send(_ sql: SQL, expecting count: Int, otherwise error: any Error) throws {
        try engine.send(sql, ExpectedCount(count, error))
    }

    /// Blocks every other transaction that locks the same key until this one ends. Use it for check-then-write: statements that follow in
    /// the closure run under the lock.
    /// SQLite has one writer at a time and needs no lock; PostgreSQL takes an advisory lock.
    package func lock(_ key: String) throws { try engine.lock(key) }

    /// Like `lock` for several keys, but does not wait: locks those that no other transaction has locked.
    /// - Returns: the keys that it did not lock, because another transaction holds them. Always empty on SQLite.
    package func tryLock(_ keys: [String]) throws -> Set<String> { keys.isEmpty ? [] : try engine.tryLock(keys) }

    /// The end of a SELECT with which several nodes claim rows of one table:
    ///
    ///     WITH picked AS MATERIALIZED (SELECT id FROM job WHERE … ORDER BY … LIMIT 3 \(sql: tx.skippingLocked))
    ///     UPDATE job SET … WHERE id IN (SELECT id FROM picked) RETURNING …
    ///
    /// PostgreSQL skips rows that another node is claiming at the same time (`FOR UPDATE SKIP LOCKED`); SQLite has one writer and needs
    /// nothing. MATERIALIZED is for correctness, not speed: without it PostgreSQL may run the inner SELECT once a row and claim more rows
    /// than its LIMIT.
    package var skippingLocked: SQL { engine.skippingLocked }

    /// Whether writes run side by side, and so may find rows locked by another write: true on PostgreSQL.
    package var locksRows: Bool { !engine.skippingLocked.text { _ in "" }.isEmpty }

    /// The end of a SELECT with ORDER BY. The closure may afterwards change the selected rows in any order: two writes that lock the same
    /// rows in the same order cannot deadlock. PostgreSQL locks the rows (`FOR UPDATE`); SQLite has one writer and needs nothing.
    package var lockingRows: SQL { engine.lockingRows }

    /// Whether other requesters wait for this transaction, or have written within the last 100 ms and so will soon write again. A closure
    /// that writes many rows should then write only a few, and leave the rest to later writes. Always false on PostgreSQL, where writes run
    /// side by side.
    package var delaysOthers: Bool { engine.delaysOthers }

    /// Notifies the listeners of `wake`, on this node and on others, once this transaction is durable and not before.
    package func wake(_ wake: Wake) { wakes.insert(wake) }

    /// This transaction's `Ending`, created at the first call. The statements that it collects run last in the transaction.
    package func ending<Ending: WriteEnding>(_ make: () -> Ending) -> Ending {
        for case let known as Ending in endings { return known }
        let new = make()
        endings.append(new)
        return new
    }

    /// Called by the engine after the closure, inside the transaction.
    package func end() throws {
        for ending in endings { try ending.end(self) }
    }
}

/// Collects data while a write's closure runs, and writes it at the end. A closure that runs twice has a new one for each run.
package protocol WriteEnding: AnyObject {
    /// Runs the transaction's last statements. An error rolls the transaction back.
    func end(_ tx: WriteTransaction) throws
}
