internal import Core
internal import Database

extension AccountMigrations {
    static let summaries = Migration(
        "accounts/025-summaries",
        // The index serves the operator's list.
        ["CREATE INDEX account_by_time ON account (created_at, id)"])
}

/// Accounts as the operator looks them up and lists them.
extension AccountStore {
    func summary(_ id: String) async throws -> AccountSummary? { try await first(Self.summary(id)) }
    func summary(email: String) async throws -> AccountSummary? { try await first(Self.summary(email: email)) }
    func summary(phone: String) async throws -> AccountSummary? { try await first(Self.summary(phone: phone)) }

    private func first(_ sql: SQL) async throws -> AccountSummary? {
        try await database.first(sql, AccountSummary.init)
    }

    /// All accounts, newest first.
    func summaries(_ request: PageRequest<TimeKey>) async throws -> Page<AccountSummary, TimeKey> {
        let rows = try await database.read { tx in
            try tx.list(Self.summaries(after: request.after, limit: request.rowLimit), AccountSummary.init)
        }
        return Page(rows, limit: request.limit) { TimeKey(at: $0.createdAt, id: $0.id) }
    }

    /// The accounts whose e-mail address begins with `start`, in the order of their addresses.
    func summaries(emailsFrom start: String, _ request: PageRequest<EmailKey>) async throws -> Page<AccountSummary, EmailKey> {
        let rows = try await database.read { tx in
            try tx.list(Self.summaries(emailsFrom: start, after: request.after, limit: request.rowLimit), AccountSummary.init)
        }
        return Page(rows, limit: request.limit) { EmailKey(email: $0.email ?? "") }
    }

    // MARK: Statements

    static func summary(_ id: String) -> SQL { "\(sql: selectSummary) WHERE id = \(id) AND closed_at IS NULL" }

    static func summary(email: String) -> SQL { "\(sql: selectSummary) WHERE email = \(email)" }

    static func summary(phone: String) -> SQL { "\(sql: selectSummary) WHERE phone = \(phone)" }

    static func summaries(after key: TimeKey?, limit: Int) -> SQL {
        "\(sql: selectSummary) WHERE closed_at IS NULL" + newestFirst.page(after: key?.sql, limit: limit)
    }

    static func summaries(emailsFrom start: String, after key: EmailKey?, limit: Int) -> SQL {
        // No address contains the last code point of Unicode, and both engines compare the bytes of UTF-8. So this range contains exactly
        // the addresses that begin with `start`.
        "\(sql: selectSummary) WHERE email >= \(start) AND email < \(start + "\u{10FFFF}")"
            + byEmail.page(after: key.map { "\($0.email)" as SQL }, limit: limit)
    }

    private static let selectSummary: SQL =
        "SELECT id, email, name, phone, is_admin, created_at, verified_at, suspended_at FROM account"
    private static let newestFirst = Keyset(.descending, "created_at", "id")
    private static let byEmail = Keyset(.ascending, "email")
}

extension AccountSummary {
    /// Reads the columns of `AccountStore.selectSummary`.
    init(_ row: inout RowReader) throws {
        self.init(
            id: try row.next("id"), email: try row.next("email"), name: try row.next("name"), phone: try row.next("phone"),
            isAdmin: try row.next("is_admin"), createdAt: try row.next("created_at"), verifiedAt: try row.next("verified_at"),
            suspendedAt: try row.next("suspended_at"))
    }
}
