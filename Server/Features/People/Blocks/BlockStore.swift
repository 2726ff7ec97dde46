import Core
import Database

/// All SQL of the table `block`, except the conditions of `PersonSQL`.
struct BlockStore: Sendable {
    let database: any Database
    let friends: FriendStore
    let identifiers: Identifiers

    /// A row of the list.
    struct Row: Sendable, Equatable {
        let id: String
        let person: String
        let name: String
        let at: Timestamp
    }

    /// Ends the two people's friendship and their requests, and hides them from each other. A repeat changes nothing. Somebody who has
    /// blocked the caller can be blocked as well.
    /// - Throws: `Problem.noSuchPerson` for an account that does not exist or is hidden; `.tooManyBlocks`.
    func block(_ person: String, by viewer: String) async throws {
        try await database.write { tx in
            try PersonLocks.take([viewer, person], tx)
            try PersonStanding.requireOpen(viewer, tx)
            guard try PersonStanding.isOpen(person, tx) else { throw Problem.noSuchPerson }
            guard try tx.row(Self.find(person, of: viewer)) == nil else { return }
            guard try tx.row(Self.count(of: viewer))?.get("count") ?? 0 < BlockRules.maxBlocks else { throw Problem.tooManyBlocks }
            try friends.separate(viewer, person, tx)
            try tx.run(Self.insert(identifiers.next(), person, by: viewer, at: identifiers.clock.now))
        }
    }

    /// Ends the caller's block. Without one it changes nothing.
    /// - Throws: `Problem.noSuchPerson` for an account that the caller has not blocked and may not see.
    func unblock(_ person: String, by viewer: String) async throws {
        try await database.write { tx in
            guard try tx.run(Self.delete(person, of: viewer)) == 0 else { return }
            guard try !PersonStanding.visible([person], to: viewer, tx).isEmpty else { throw Problem.noSuchPerson }
        }
    }

    /// The newest first.
    func page(of viewer: String, _ request: PageRequest<TimeKey>) async throws -> Page<Row, TimeKey> {
        let rows = try await database.list(Self.page(of: viewer, after: request.after, limit: request.rowLimit)) { row in
            let (id, person): (String, String) = (try row.next("id"), try row.next("blocked"))
            let (at, name): (Timestamp, String?) = (try row.next("created_at"), try row.next("name"))
            return Row(id: id, person: person, name: name ?? "", at: at)
        }
        return Page(rows, limit: request.limit) { TimeKey(at: $0.at, id: $0.id) }
    }

    /// - Returns: the sort key of the row that names this person; `nil` when the list shows the viewer no such row.
    func key(of person: String, of viewer: String) async throws -> TimeKey? {
        try await database.list(Self.key(of: person, of: viewer)) { row in
            let at: Timestamp = try row.next("created_at")
            return TimeKey(at: at, id: try row.next("id"))
        }.first
    }

    /// Deletes some rows of an account that is being deleted, and of others who blocked it.
    /// - Returns: how many rows were deleted.
    func eraseSome(of account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        for statement in [Self.some(by: account, limit: limit), Self.some(of: account, limit: limit)] {
            let ids: [String] = try tx.list(statement) { try $0.next("id") }
            if !ids.isEmpty { return try tx.run(Self.delete(ids)) }
        }
        return 0
    }

    // MARK: Statements

    static func find(_ person: String, of viewer: String) -> SQL {
        "SELECT id FROM block WHERE blocker = \(viewer) AND blocked = \(person)"
    }

    /// At most `BlockRules.maxBlocks`.
    static func count(of viewer: String) -> SQL { "SELECT COUNT(*) AS count FROM block WHERE blocker = \(viewer)" }

    static func insert(_ id: String, _ person: String, by viewer: String, at now: Timestamp) -> SQL {
        "INSERT INTO block (id, blocker, blocked, created_at) VALUES (\(id), \(viewer), \(person), \(now))"
    }

    static func delete(_ person: String, of viewer: String) -> SQL {
        "DELETE FROM block WHERE blocker = \(viewer) AND blocked = \(person)"
    }

    static func page(of viewer: String, after key: TimeKey?, limit: Int) -> SQL {
        "SELECT block.id, block.blocked, block.created_at, profile.name\(sql: rows(of: viewer))"
            + newest.page(after: key?.sql, limit: limit)
    }

    static func key(of person: String, of viewer: String) -> SQL {
        "SELECT block.created_at, block.id\(sql: rows(of: viewer)) AND block.blocked = \(person)"
    }

    private static let newest = Keyset(.descending, "block.created_at", "block.id")

    /// FROM and WHERE. Whether the blocked person has blocked the viewer as well does not matter: the list shows what the viewer did.
    private static func rows(of viewer: String) -> SQL {
        """
         FROM block LEFT JOIN profile ON profile.account = block.blocked
        WHERE block.blocker = \(viewer)\(sql: PersonSQL.isNotHidden)
        """
    }

    static func some(by account: String, limit: Int) -> SQL {
        "SELECT id FROM block WHERE blocker = \(account) ORDER BY created_at, id LIMIT \(limit)"
    }

    static func some(of account: String, limit: Int) -> SQL {
        "SELECT id FROM block WHERE blocked = \(account) ORDER BY blocker LIMIT \(limit)"
    }

    static func delete(_ ids: [String]) -> SQL { "DELETE FROM block WHERE id IN (\(sql: .list(ids)))" }
}
