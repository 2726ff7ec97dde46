import Database
import Synchronization

/// Remembers whether the server's writes find the disk of the database full. A check could find out only with a write of its own, and
/// anybody may ask `/health/ready` as often as they like.
final class WriteWatch: DatabaseDecorator {
    let base: any Database
    private let foundFull = Atomic(false)

    init(_ base: any Database) { self.base = base }

    /// Whether a write failed because the disk is full, and no later write has changed a row. While the server runs, it writes a heartbeat
    /// every 8 seconds, so this becomes false soon after there is space again.
    var isFull: Bool { foundFull.load(ordering: .relaxed) }

    /// Other decorators call `read` here. One statement needs no transaction, so this passes it on as it is.
    func list<Element: Sendable>(
        _ sql: SQL, _ element: @escaping @Sendable (inout RowReader) throws -> Element
    ) async throws -> [Element] {
        try await base.list(sql, element)
    }

    /// Its success says nothing: a transaction that changes no row succeeds on a full disk.
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
