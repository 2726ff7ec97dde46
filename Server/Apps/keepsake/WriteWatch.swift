import Database
import Synchronization

/// Remembers whether the server's writes find the disk of the database full. `/health/ready` uses this instead of a test write, because
/// anybody may call it as often as they like.
final class WriteWatch: DatabaseDecorator {
    let base: any Database
    private let foundFull = Atomic(false)

    init(_ base: any Database) { self.base = base }

    /// Whether a write failed because the disk is full, and no later write has changed a row. A running server writes a heartbeat every 8
    /// seconds, so this soon becomes false once there is space again.
    var isFull: Bool { foundFull.load(ordering: .relaxed) }

    /// Passes the single statement on as it is, because it needs no transaction. Other decorators would call `read` here.
    func list<Element: Sendable>(
        _ sql: SQL, _ element: @escaping @Sendable (inout RowReader) throws -> Element
    ) async throws -> [Element] {
        try await base.list(sql, element)
    }

    /// Runs the write. Success alone does not mean that there is space: a transaction that changes no row succeeds on a full disk.
    @discardableResult
    func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T {
        do {
            return try await base.write(body)
        } catch DatabaseError.full {
            foundFull.store(true, ordering: .relaxed)
            throw DatabaseError.full
        }
    }

    @discardableResult
    func run(_ sql: SQL) async throws -> Int {
        do {
            let count = try await base.run(sql)
            if count > 0 { foundFull.store(false, ordering: .relaxed) }
            return count
        } catch DatabaseError.full {
            foundFull.store(true, ordering: .relaxed)
            throw DatabaseError.full
        }
    }
}
