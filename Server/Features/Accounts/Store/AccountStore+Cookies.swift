internal import Core
internal import Database

extension AccountStore {
    /// - Parameter hash: the hash of the cookie's value.
    /// - Returns: `false` when the session has ended.
    func openCookie(
        _ hash: String, session: String, userAgent: String?, until end: Timestamp, at now: Timestamp
    ) async throws -> Bool {
        try await database.write { tx in
            // The session must live at least as long as its cookie.
            guard try tx.run(Self.prolong(session, until: end, now)) == 1 else { return false }
            try tx.run(Self.insertCookie(hash, session, userAgent, until: end, now))
            // The session list shows every cookie, so their number is limited.
            try tx.run(Self.deleteOldCookies(of: session))
            return true
        }
    }

    func endCookies(of session: String) async throws {
        _ = try await database.write { tx in try tx.run(Self.deleteCookies(of: session)) }
    }

    /// - Returns: the cookie's viewer; `nil` when the cookie is unknown or expired, or its session has ended.
    func liveCookie(
        _ hash: String, at now: Timestamp
    ) async throws -> (viewer: Viewer, lastUsedAt: Timestamp, isSuspended: Bool)? {
        try await database.read { tx in
            try tx.row(Self.liveCookie(hash, now)).map { row in
                let viewer = Viewer(accountID: try row.get("account"), sessionID: try row.get("session"), isAdmin: try row.get("is_admin"))
                return (viewer, try row.get("last_used_at"), try row.get("suspended_at", as: Timestamp?.self) != nil)
            }
        }
    }

    // MARK: Statements

    /// The most cookies of one session. Creating one more deletes the oldest.
    static let cookieLimit = 20

    static func insertCookie(
        _ hash: String, _ session: String, _ userAgent: String? = nil, until end: Timestamp, _ now: Timestamp
    ) -> SQL {
        """
        INSERT INTO session_cookie (hash, session, user_agent, created_at, expires_at)
        VALUES (\(hash), \(session), \(userAgent), \(now), \(end))
        """
    }

    static func deleteOldCookies(of session: String) -> SQL {
        """
        DELETE FROM session_cookie WHERE hash IN (
            SELECT hash FROM session_cookie WHERE session = \(session) ORDER BY created_at DESC, hash LIMIT 1000 OFFSET \(cookieLimit))
        """
    }

    static func cookies(of account: String, _ now: Timestamp) -> SQL {
        """
        SELECT session_cookie.session, session_cookie.user_agent, session_cookie.created_at, session_cookie.expires_at
        FROM session JOIN session_cookie ON session_cookie.session = session.id
        WHERE session.account = \(account) AND session.ended_at IS NULL AND session_cookie.expires_at > \(now)
        """
    }

    static func deleteCookies(of session: String) -> SQL { "DELETE FROM session_cookie WHERE session = \(session)" }

    static func deleteCookies(expiredBefore end: Timestamp, limit: Int) -> SQL {
        "DELETE FROM session_cookie WHERE hash IN (SELECT hash FROM session_cookie WHERE expires_at < \(end) LIMIT \(limit))"
    }

    static func liveCookie(_ hash: String, _ now: Timestamp) -> SQL {
        """
        SELECT session.id AS session, session.account, session.last_used_at, account.is_admin, account.suspended_at
        FROM session_cookie JOIN session ON session.id = session_cookie.session JOIN account ON account.id = session.account
        WHERE session_cookie.hash = \(hash) AND session_cookie.expires_at > \(now) AND session.ended_at IS NULL
            AND account.closed_at IS NULL
        """
    }
}
