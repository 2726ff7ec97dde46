import Core
import Database

/// All SQL of the table `block`, except the conditions of `PersonSQL`.
struct BlockStore: Sendable {
    let database: any Database
    let friends: FriendStore
    let identifiers: Identifiers

    /// A row of the list of blocks.
    struct Row: Sendable, Equatable {
        let id: String
        let person: String
        let name: String
        let at: Timestamp
    }

    /// Ends the friendship and the friend requests of the two people, and hides them from each other. A retry changes nothing. If the
    /// person has blocked the caller, the block is stored too, but the caller gets the same error as for an account that does not exist.
    /// - Throws: `Problem.noSuchPerson` for an account that does not exist, is hidden, or has blocked the caller; `.tooManyBlocks`.
    func block(_ person: String, by viewer: String) async throws {
        let isListed: Bool = try await database.write { tx in
            try PersonLocks.take([viewer, person], tx)
            try PersonStanding.requireOpen(viewer, tx)
            guard try PersonStanding.isOpen(person, tx) else { return false }
            if try tx.row(Self.find(person, of: viewer)) == nil {
                let isBlocked = try tx.row(Self.find(viewer, of: person)) != nil
                guard try tx.row(Self.count(of: viewer))?.get("count") ?? 0 < BlockRules.maxBlocks else {
                    if isBlocked { return false }
                    throw Problem.tooManyBlocks
                }
                try friends.separate(viewer, person, tx)
                let name: String? = try isBlocked ? nil : tx.first(Self.name(of: person)) { try $0.next("name") as String } ?? ""
                try tx.run(Self.insert(identifiers.next(), person, name: name, by: viewer, at: identifiers.clock.now))
            }
            return try tx.row(Self.key(of: person, of: viewer)) != nil
        }
        // Throw after the write, because an error inside it would undo the block.
        guard isListed else { throw Problem.noSuchPerson }
    }

    /// Ends the caller's block. If there is none, it changes nothing.
    /// - Throws: `Problem.noSuchPerson` for an account that the caller may not see. There is no error if the caller's list shows the block.
    func unblock(_ person: String, by viewer: String) async throws {
        let isKnown: Bool = try await database.write { tx in
            // The caller can also end the block of an account that was hidden after the block.
            let isUnlisted = try tx.row(Self.unlisted(person, of: viewer)) != nil
            if try tx.run(Self.delete(person, of: viewer)) > 0, !isUnlisted { return true }
            return try !PersonStanding.visible([person], to: viewer, tx).isEmpty
        }
        guard isKnown else { throw Problem.noSuchPerson }
    }

    /// A page of the people whom the viewer has blocked, the newest block first.
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

    /// Counts the blocks that the list shows, up to `BlockRules.maxBlocks`. If it counted the others too, the error would reveal them.
    static func count(of viewer: String) -> SQL {
        "SELECT COUNT(*) AS count FROM block WHERE block.blocker = \(viewer)\(sql: isKnown(to: viewer))"
    }

    /// The viewer's block of the person, if the list does not show it (see `isKnown`).
    static func unlisted(_ person: String, of viewer: String) -> SQL {
        """
        SELECT block.id FROM block JOIN block AS other ON other.blocker = block.blocked AND other.blocked = block.blocker
        WHERE block.blocker = \(viewer) AND block.blocked = \(person) AND block.name IS NULL
        """
    }

    static func name(of person: String) -> SQL { "SELECT name FROM profile WHERE account = \(person)" }

    static func insert(_ id: String, _ person: String, name: String?, by viewer: String, at now: Timestamp) -> SQL {
        """
        INSERT INTO block (id, blocker, blocked, name, created_at)
        VALUES (\(id), \(viewer), \(person), \(name), \(now))
        """
    }

    static func delete(_ person: String, of viewer: String) -> SQL {
        "DELETE FROM block WHERE blocker = \(viewer) AND blocked = \(person)"
    }

    static func page(of viewer: String, after key: TimeKey?, limit: Int) -> SQL {
        "SELECT block.id, block.blocked, block.created_at, COALESCE(block.name, profile.name) AS name\(sql: rows(of: viewer))"
            + newest.page(after: key?.sql, limit: limit)
    }

    static func key(of person: String, of viewer: String) -> SQL {
        "SELECT block.created_at, block.id\(sql: rows(of: viewer)) AND block.blocked = \(person)"
    }

    private static let newest = Keyset(.descending, "block.created_at", "block.id")

    /// The FROM and WHERE clauses of the list.
    private static func rows(of viewer: String) -> SQL {
        """
         FROM block LEFT JOIN profile ON profile.account = block.blocked
        WHERE block.blocker = \(viewer)\(sql: PersonSQL.isNotHidden)\(sql: isKnown(to: viewer))
        """
    }

    /// A condition that begins with ` AND `: the viewer may know the blocked person's name. Either the row stores the name from the time of
    /// the block, or the person has not blocked the viewer, who may then read the current name.
    private static func isKnown(to viewer: String) -> SQL {
        """
         AND (block.name IS NOT NULL OR NOT EXISTS (
            SELECT 1 FROM block AS other WHERE other.blocker = block.blocked AND other.blocked = \(viewer)))
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
