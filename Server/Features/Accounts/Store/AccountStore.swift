internal import Core
internal import Database

/// All SQL of the feature: accounts in this file, sessions, keys and the rest in the extensions. Each statement is a function, so that a
/// test can ask the engine for its query plan.
struct AccountStore: Sendable, CustomReflectable {
    let database: any Database
    /// What other features do when an account is recovered.
    var recoveries = Recoveries()

    // A dump would include the engine, whose prepared statements keep their last bound values, among them keys.
    var customMirror: Mirror { Mirror(self, children: []) }

    /// An account to insert.
    struct NewAccount: Sendable {
        let id: String
        let email: String
        let name: String?
        /// `nil` for an account that signs in by other means.
        let passwordHash: Secret<String>?
        let isAdmin: Bool
        let createdAt: Timestamp
        /// An IANA name; `nil` for the server's time zone.
        var timeZone: String?

        var account: Account {
            Account(id: id, email: email, name: name, isAdmin: isAdmin, isPro: false, createdAt: createdAt, timeZone: timeZone)
        }
    }

    /// - Returns: `nil` when another account has the e-mail address.
    func register(_ new: NewAccount, _ session: NewSession) async throws -> Account? {
        try await database.write { tx in
            guard try tx.row(Self.insertAccount(new)) != nil else { return nil }
            try Self.insert(session, tx)
            return new.account
        }
    }

    /// Returns the account with that e-mail address, and creates it if it does not exist. An existing account changes in one case only: it
    /// becomes an administrator if `new` is one and the account is not suspended.
    func ensureAccount(_ new: NewAccount) async throws -> Account {
        try await database.write { tx in
            guard try tx.row(Self.insertAccount(new)) == nil else { return new.account }
            // Another process deleted the account between the two statements; the caller retries.
            guard let account = try tx.first(Self.credential(email: new.email), Account.init) else { throw DatabaseError.busy }
            guard new.isAdmin, !account.isAdmin, account.suspendedAt == nil else { return account }
            return try tx.first(Self.promote(account.id), Account.init) ?? account
        }
    }

    /// Creates the account with that id if it does not exist, without an e-mail address and without a password.
    func ensureAccount(id: String, at now: Timestamp) async throws {
        _ = try await database.write { tx in try tx.run(Self.insertAccount(id: id, now)) }
    }

    typealias Credential = (account: Account, passwordHash: Secret<String>?, passwordSetAt: Timestamp?)

    func credential(email: String) async throws -> Credential? {
        try await database.first(Self.credential(email: email), Self.readCredential)
    }

    /// - Returns: `nil` when the account does not exist.
    func credential(of id: String) async throws -> Credential? { try await database.first(Self.credential(of: id), Self.readCredential) }

    private static func readCredential(_ row: inout RowReader) throws -> Credential {
        let account = try Account(&row)
        let passwordHash: String? = try row.next("password_hash")
        return (account, passwordHash.map(Secret.init), try row.next("credential_set_at"))
    }

    func account(_ id: String) async throws -> Account? {
        try await database.first(Self.account(id), Account.init)
    }

    /// - Returns: `nil` when the account does not exist.
    func ownAccount(_ id: String, _ files: (any AccountFiles)?) async throws -> OwnAccount? {
        // This reads with a single statement, which needs no transaction, because it serves the first request of every app.
        try await database.first(Self.ownAccount(id, files.map { type(of: $0) })) { row in try Self.readOwn(id, files, &row) }
    }

    static func ownAccount(_ id: String, _ files: (any AccountFiles)?, _ tx: ReadTransaction) throws -> OwnAccount? {
        try tx.first(ownAccount(id, files.map { type(of: $0) })) { row in try readOwn(id, files, &row) }
    }

    private static func readOwn(_ id: String, _ files: (any AccountFiles)?, _ row: inout RowReader) throws -> OwnAccount {
        OwnAccount(account: try Account(&row), files: try files?.summary(of: id, &row))
    }

    /// What an account's owner changes; `nil` keeps a value.
    struct AccountChange: Sendable {
        /// `.some(nil)` clears the name.
        var name: String??
        var allowsOutsideEngines: Bool?
        /// `.some(nil)` chooses the server's time zone.
        var timeZone: String??

        var isEmpty: Bool { name == nil && allowsOutsideEngines == nil && timeZone == nil }
    }

    /// - Parameter change: not empty.
    /// - Returns: `nil` when the account does not exist.
    func update(_ id: String, _ change: AccountChange, _ files: (any AccountFiles)?) async throws -> OwnAccount? {
        try await database.write { tx in
            guard try tx.first(Self.update(id, change), Account.init) != nil else { return nil }
            return try Self.ownAccount(id, files, tx)
        }
    }

    /// Does nothing when the password has changed meanwhile.
    func replacePasswordHash(_ id: String, _ old: Secret<String>, by new: Secret<String>) async throws {
        _ = try await database.write { tx in try tx.run(Self.replacePasswordHash(id, old, new)) }
    }

    // MARK: Statements

    static func insertAccount(_ new: NewAccount) -> SQL {
        let others: KeyValuePairs<StaticString, any SQLConvertible> = [
            "password_hash": new.passwordHash?.exposed, "credential_set_at": new.passwordHash.map { _ in new.createdAt },
        ]
        return Account.table.insert(new.account, with: others) + " ON CONFLICT (email) DO NOTHING RETURNING id"
    }

    /// Of two concurrent inserts, one creates the row and both succeed.
    static func insertAccount(id: String, _ now: Timestamp) -> SQL {
        "INSERT INTO account (id, created_at) VALUES (\(id), \(now)) ON CONFLICT (id) DO NOTHING"
    }

    static func credential(email: String) -> SQL {
        "\(sql: selectCredential) WHERE email = \(email)"
    }

    static func credential(of id: String) -> SQL { "\(sql: selectCredential) WHERE id = \(id) AND closed_at IS NULL" }

    private static let selectCredential: SQL = "SELECT \(sql: Account.table.columns), password_hash, credential_set_at FROM account"

    static func ownAccount(_ id: String, _ files: (any AccountFiles.Type)?) -> SQL {
        guard let files else { return account(id) }
        return """
            SELECT \(sql: Account.table.columns), \(sql: files.columns) FROM account \(sql: files.joins)
            WHERE account.id = \(id) AND account.closed_at IS NULL
            """
    }

    static func account(_ id: String) -> SQL { "\(sql: Account.table.select) WHERE id = \(id) AND closed_at IS NULL" }

    static func update(_ id: String, _ change: AccountChange) -> SQL {
        var values: [SQL] = []
        if let name = change.name { values.append("name = \(name)") }
        if let allows = change.allowsOutsideEngines { values.append("outside_engines = \(allows)") }
        if let zone = change.timeZone { values.append("time_zone = \(zone)") }
        return "UPDATE account SET \(sql: .series(values)) WHERE id = \(id) RETURNING \(sql: Account.table.columns)"
    }

    static func outsideEngines(of id: String) -> SQL { "SELECT outside_engines FROM account WHERE id = \(id) AND closed_at IS NULL" }

    static func promote(_ id: String) -> SQL { "UPDATE account SET is_admin = 1 WHERE id = \(id) RETURNING \(sql: Account.table.columns)" }

    static func replacePasswordHash(_ id: String, _ old: Secret<String>, _ new: Secret<String>) -> SQL {
        "UPDATE account SET password_hash = \(new.exposed) WHERE id = \(id) AND password_hash = \(old.exposed)"
    }
}

extension Account: TableRow {
    static let table = Table<Account>("account")

    init(_ row: inout RowReader, writing account: Account?) throws {
        self.init(
            id: try row.next("id", account?.id), email: try row.next("email", account?.email),
            name: try row.next("name", account?.name), isAdmin: try row.next("is_admin", account?.isAdmin),
            isPro: try row.next("is_pro", account?.isPro), createdAt: try row.next("created_at", account?.createdAt),
            suspendedAt: try row.next("suspended_at", account?.suspendedAt),
            allowsOutsideEngines: try row.next("outside_engines", account?.allowsOutsideEngines),
            timeZone: try row.next("time_zone", account?.timeZone))
    }
}
