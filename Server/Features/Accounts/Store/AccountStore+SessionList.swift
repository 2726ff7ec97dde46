internal import Core
internal import Database
internal import Web

extension AccountMigrations {
    /// The index contains the time of last use, because a sign-in beyond the limit ends the sessions that were used least recently.
    /// Statements also order by `ended_at`, although it is NULL in all rows that they read. Otherwise PostgreSQL would sort.
    static let liveSessions = Migration(
        "accounts/034-live-sessions",
        ["CREATE INDEX session_live ON session (account, ended_at, last_used_at)"], release: 2)
}

extension AccountStore {
    /// A session, as the list shows it to its owner.
    struct ListedSession: Sendable {
        let id: String
        let method: String
        let userAgent: String?
        let createdAt: Timestamp
        let lastUsedAt: Timestamp
        let expiresAt: Timestamp
        /// Newest first.
        let cookies: [ListedCookie]
    }

    struct ListedCookie: Sendable {
        let userAgent: String?
        let createdAt: Timestamp
        let expiresAt: Timestamp
    }

    /// The live sessions, newest first.
    func sessions(of account: String, at now: Timestamp) async throws -> [ListedSession] {
        try await database.read { tx in
            var cookies: [String: [ListedCookie]] = [:]
            for row in try tx.rows(Self.cookies(of: account, now)) {
                cookies[try row.get("session"), default: []].append(
                    ListedCookie(
                        userAgent: try row.get("user_agent"), createdAt: try row.get("created_at"), expiresAt: try row.get("expires_at")))
            }
            let sessions = try tx.rows(Self.sessions(of: account, now)).map { row in
                let id: String = try row.get("id")
                return ListedSession(
                    id: id, method: try row.get("method"), userAgent: try row.get("user_agent"),
                    createdAt: try row.get("created_at"), lastUsedAt: try row.get("last_used_at"), expiresAt: try row.get("expires_at"),
                    cookies: (cookies[id] ?? []).sorted { $0.createdAt > $1.createdAt })
            }
            return sessions.sorted { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
        }
    }

    /// - Parameter kept: the session that does not end.
    /// - Returns: the number of ended sessions.
    func endSessions(of account: String, but kept: String?, at now: Timestamp) async throws -> Int {
        try await database.write { tx in try Self.endSessions(of: account, but: kept, at: now, tx) }
    }

    /// Ends the account's sessions in the caller's transaction.
    @discardableResult
    static func endSessions(of account: String, but kept: String?, at now: Timestamp, _ tx: WriteTransaction) throws -> Int {
        // Without the lock, two transactions that end the same rows in different orders could deadlock.
        try tx.lock(AccountLocks.sessions(of: account))
        let ended = try tx.rows(endSessions(of: account, but: kept, now)).map { row in try row.get("id", as: String.self) }
        for id in ended { tx.wake(Wake(.sessions, id)) }
        return ended.count
    }

    /// Sets the time of last use. A session that uses only cookies never refreshes tokens, and would otherwise look unused.
    func touchSession(_ id: String, at now: Timestamp) async throws {
        _ = try await database.write { tx in try tx.run(Self.touchSession(id, now)) }
    }

    // MARK: Statements

    /// The most sessions that the list contains. It is above `SessionRules.maxSessions`: accounts from before that limit may have more.
    static let listedSessionLimit = 500

    /// The sessions that were used most recently. They are found by the index of live sessions; an index by time of creation would also
    /// contain all sessions that have ended.
    static func sessions(of account: String, _ now: Timestamp) -> SQL {
        """
        SELECT id, method, user_agent, created_at, last_used_at, expires_at FROM session
        WHERE account = \(account) AND ended_at IS NULL AND expires_at > \(now)
        ORDER BY ended_at DESC, last_used_at DESC LIMIT \(listedSessionLimit)
        """
    }

    static func endSessions(of account: String, but kept: String?, _ now: Timestamp) -> SQL {
        let others: SQL = kept.map { " AND id <> \($0)" } ?? ""
        return "UPDATE session SET ended_at = \(now) WHERE account = \(account) AND ended_at IS NULL\(sql: others) RETURNING id"
    }

    static func touchSession(_ id: String, _ now: Timestamp) -> SQL {
        "UPDATE session SET last_used_at = \(now) WHERE id = \(id) AND last_used_at < \(now) AND ended_at IS NULL"
    }
}
