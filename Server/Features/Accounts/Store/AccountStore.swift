internal import Core
internal import Database

/// All of the room's SQL: accounts here, sessions and keys in the files beside. Each statement is a function of its own, so that a test
/// can ask the engine how it would run it.
struct AccountStore: Sendable, CustomReflectable {
    let database: any Database

    // A dump would go on into the engine, whose prepared statements keep the values they were last bound to: keys among them.
    var customMirror: Mirror { Mirror(self, children: []) }

    /// An account as it is first written.
    struct NewAccount: Sendable {
        let id: String
        let email: String
        let name: String?
        /// `nil` for one that signs in by other means.
        let passwordHash: Secret<String>?
        let isAdmin: Bool
        let createdAt: Timestamp

        var account: Account {
            Account(id: id, email: email, name: name, isAdmin: isAdmin, isPro: false, createdAt: createdAt)
        }
    }

    /// - Returns: `nil` when the e-mail address is another account's.
    func register(_ new: NewAccount, _ session: NewSession) async throws -> Account? {
        try await database.write { tx in
            guard try tx.row(Self.insertAccount(new)) != nil else { return nil }
            try Self.insert(session, tx)
            return new.account
        }
    }

    /// The account of that e-mail address, made if need be. What an existing one has stays, except that it may become an admin's.
    func ensureAccount(_ new: NewAccount) async throws -> Account {
        try await database.write { tx in
            guard try tx.row(Self.insertAccount(new)) == nil else { return new.account }
            // Gone between the two statements, which only another process can do. To be tried again.
            guard let row = try tx.row(Self.credential(email: new.email)) else { throw DatabaseError.busy }
            let account = try Account(row)
            guard new.isAdmin, !account.isAdmin, let promoted = try tx.row(Self.promote(account.id)) else { return account }
            return try Account(promoted)
        }
    }

    /// The account with that id, made if need be, with neither an address nor a password.
    func ensureAccount(id: String, at now: Timestamp) async throws {
        _ = try await database.write { tx in try tx.run(Self.insertAccount(id: id, now)) }
    }

    func credential(
        email: String
    ) async throws -> (account: Account, passwordHash: Secret<String>?, passwordSetAt: Timestamp?)? {
        try await database.read { tx in
            guard let row = try tx.row(Self.credential(email: email)) else { return nil }
            return (
                try Account(row), try row.get("password_hash", as: String?.self).map(Secret.init), try row.get("credential_set_at")
            )
        }
    }

    func account(_ id: String) async throws -> Account? {
        try await database.read { tx in try tx.row(Self.account(id)).map(Account.init) }
    }

    /// - Returns: `nil` when there is no such account.
    func rename(_ id: String, to name: String?) async throws -> Account? {
        try await database.write { tx in try tx.row(Self.rename(id, name)).map(Account.init) }
    }

    /// Does nothing when the password was changed meanwhile.
    func replacePasswordHash(_ id: String, _ old: Secret<String>, by new: Secret<String>) async throws {
        _ = try await database.write { tx in try tx.run(Self.replacePasswordHash(id, old, new)) }
    }

    // MARK: Statements

    static let columns: SQL = "id, email, name, is_admin, is_pro, created_at"

    static func insertAccount(_ new: NewAccount) -> SQL {
        """
        INSERT INTO account (id, email, name, password_hash, credential_set_at, is_admin, created_at)
        VALUES (\(new.id), \(new.email), \(new.name), \(new.passwordHash?.exposed), \(new.passwordHash.map { _ in new.createdAt }),
            \(new.isAdmin), \(new.createdAt))
        ON CONFLICT (email) DO NOTHING RETURNING id
        """
    }

    /// Of two that come at once one makes it, and both have it.
    static func insertAccount(id: String, _ now: Timestamp) -> SQL {
        "INSERT INTO account (id, created_at) VALUES (\(id), \(now)) ON CONFLICT (id) DO NOTHING"
    }

    static func credential(email: String) -> SQL {
        "SELECT \(sql: columns), password_hash, credential_set_at FROM account WHERE email = \(email)"
    }

    static func account(_ id: String) -> SQL { "SELECT \(sql: columns) FROM account WHERE id = \(id) AND closed_at IS NULL" }

    static func rename(_ id: String, _ name: String?) -> SQL {
        "UPDATE account SET name = \(name) WHERE id = \(id) RETURNING \(sql: columns)"
    }

    static func promote(_ id: String) -> SQL { "UPDATE account SET is_admin = 1 WHERE id = \(id) RETURNING \(sql: columns)" }

    static func replacePasswordHash(_ id: String, _ old: Secret<String>, _ new: Secret<String>) -> SQL {
        "UPDATE account SET password_hash = \(new.exposed) WHERE id = \(id) AND password_hash = \(old.exposed)"
    }
}

extension Account {
    init(_ row: Row) throws {
        self.init(
            id: try row.get("id"), email: try row.get("email"), name: try row.get("name"), isAdmin: try row.get("is_admin"),
            isPro: try row.get("is_pro"), createdAt: try row.get("created_at"))
    }
}
