/// What an engine does inside a transaction, on the transaction's thread.
package protocol TransactionEngine: AnyObject {
    /// - Returns: how many rows the statement changed.
    func run(_ sql: SQL) throws -> Int
    func rows(_ sql: SQL) throws -> [Row]
    /// Calls `body` for each row.
    func each(_ sql: SQL, _ body: (inout RowReader) throws -> Void) throws
    func lock(_ key: String) throws
    /// What stands at the end of a SELECT that claims rows, so that claimants do not wait for each other.
    var skippingLocked: SQL { get }
    var tokenSearch: any TokenSearch { get }
}

/// A snapshot to read from. Not to be kept beyond the closure it was given to.
package class ReadTransaction {
    package let engine: any TransactionEngine

    package init(_ engine: any TransactionEngine) { self.engine = engine }

    package final func rows(_ sql: SQL) throws -> [Row] { try engine.rows(sql) }

    /// What `element` makes of each row, while the engine stands on it: it asks the database nothing.
    package final func list<Element>(_ sql: SQL, _ element: (inout RowReader) throws -> Element) throws -> [Element] {
        var list: [Element] = []
        try engine.each(sql) { row in
            // A second row is seldom the last: growing from there by doubling would move a page's first rows five times.
            if list.count == 1 { list.reserveCapacity(32) }
            list.append(try element(&row))
        }
        return list
    }

    /// What `element` makes of the first row, or `nil` when there is none.
    package final func first<Element>(_ sql: SQL, _ element: (inout RowReader) throws -> Element) throws -> Element? {
        try list(sql, element).first
    }

    /// The first row, or `nil` when there is none.
    package final func row(_ sql: SQL) throws -> Row? { try engine.rows(sql).first }

    /// How the engine finds what holds given words.
    package final var tokenSearch: any TokenSearch { engine.tokenSearch }
}

package final class WriteTransaction: ReadTransaction {
    private var endings: [any WriteEnding] = []
    /// Whom to wake once this is durable.
    package private(set) var wakes: Set<Wake> = []

    /// - Returns: how many rows the statement changed.
    @discardableResult
    package func run(_ sql: SQL) throws -> Int { try engine.run(sql) }

    /// Holds off every other transaction that asks for the same key, until this one ends: for check-then-write.
    /// SQLite has one writer at a time and needs nothing; PostgreSQL takes an advisory lock.
    package func lock(_ key: String) throws { try engine.lock(key) }

    /// Ends the SELECT by which several nodes claim rows of one table:
    ///
    ///     WITH picked AS MATERIALIZED (SELECT id FROM job WHERE … ORDER BY … LIMIT 3 \(sql: tx.skippingLocked))
    ///     UPDATE job SET … WHERE id IN (SELECT id FROM picked) RETURNING …
    ///
    /// PostgreSQL passes over rows that another node is claiming right now (`FOR UPDATE SKIP LOCKED`); SQLite has one writer and
    /// needs nothing. MATERIALIZED is not for speed: without it PostgreSQL may run the inner SELECT once a row, and claim more than
    /// its LIMIT.
    package var skippingLocked: SQL { engine.skippingLocked }

    /// Once this transaction is durable, and not before, those who listen for `wake` hear it, on this node and on the others.
    package func wake(_ wake: Wake) { wakes.insert(wake) }

    /// This write's own `Ending`, made at the first call: what it gathers becomes the write's last statements.
    package func ending<Ending: WriteEnding>(_ make: () -> Ending) -> Ending {
        for case let known as Ending in endings { return known }
        let new = make()
        endings.append(new)
        return new
    }

    /// By the engine, after the closure and inside its transaction.
    package func end() throws {
        for ending in endings { try ending.end(self) }
    }
}

/// Gathers while a write's closure runs, and writes when it has ended. A closure that runs twice has two.
package protocol WriteEnding: AnyObject {
    /// The write's last statements. What it throws undoes the write.
    func end(_ tx: WriteTransaction) throws
}
