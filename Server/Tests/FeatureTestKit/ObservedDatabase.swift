import Core
import Database
import Synchronization

/// The statements that a server under test has sent to its database.
final class StatementRecord: Sendable {
    struct Statement: Sendable {
        let sql: SQL
        /// The account or network for which the server sent the statement, or the server itself.
        let requester: Requester

        /// The text, with a question mark in place of each value.
        var text: String { sql.text { _ in "?" } }
    }

    private let recorded = Mutex<[Statement]>([])

    var all: [Statement] { recorded.withLock { $0 } }
    var statements: [SQL] { all.map(\.sql) }

    func add(_ sql: SQL) {
        let statement = Statement(sql: sql, requester: .current)
        recorded.withLock { $0.append(statement) }
    }
}

/// A database that calls `observe` with each statement of its reads and writes before it runs the statement.
struct ObservedDatabase: DatabaseDecorator {
    let base: any Database
    let observe: @Sendable (SQL) -> Void

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        try await base.read { tx in try body(ReadTransaction(ObservedEngine(tx.engine, observe))) }
    }

    func list<Element: Sendable>(
        _ sql: SQL, _ element: @escaping @Sendable (inout RowReader) throws -> Element
    ) async throws -> [Element] {
        observe(sql)
        return try await base.list(sql, element)
    }

    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        // An engine may run the closure on its own thread, where `Requester.current` is not set.
        let requester = Requester.current
        return try await base.write { tx in
            let observed = WriteTransaction(ObservedEngine(tx.engine) { sql in requester.run { observe(sql) } })
            let value = try body(observed)
            try observed.end()
            for wake in observed.wakes { tx.wake(wake) }
            return value
        }
    }

    @discardableResult
    func run(_ sql: SQL) async throws -> Int {
        observe(sql)
        return try await base.run(sql)
    }
}

final class ObservedEngine: TransactionEngine {
    private let base: any TransactionEngine
    private let observe: (SQL) -> Void

    init(_ base: any TransactionEngine, _ observe: @escaping (SQL) -> Void) {
        self.base = base
        self.observe = observe
    }

    func run(_ sql: SQL) throws -> Int {
        observe(sql)
        return try base.run(sql)
    }
    func send(_ sql: SQL, _ expected: ExpectedCount?) throws {
        observe(sql)
        try base.send(sql, expected)
    }
    func rows(_ sql: SQL) throws -> [Row] {
        observe(sql)
        return try base.rows(sql)
    }
    func row(_ sql: SQL) throws -> Row? {
        observe(sql)
        return try base.row(sql)
    }
    func each(_ sql: SQL, _ body: (inout RowReader) throws -> Void) throws {
        observe(sql)
        try base.each(sql, body)
    }
    func lock(_ key: String) throws { try base.lock(key) }
    func tryLock(_ keys: [String]) throws -> Set<String> { try base.tryLock(keys) }
    var skippingLocked: SQL { base.skippingLocked }
    var lockingRows: SQL { base.lockingRows }
    var delaysOthers: Bool { base.delaysOthers }
    var tokenSearch: any TokenSearch { base.tokenSearch }
}
