internal import Core
internal import Database
internal import Web

extension AccountMigrations {
    /// The index includes the hash, so that the statements that count or choose a session's tokens read only the index.
    static let tokenTimes = Migration(
        "accounts/033-token-times",
        [
            "CREATE INDEX refresh_token_by_time ON refresh_token (session, created_at, hash)",
            // The new index begins with the same column, so it replaces this one.
            "DROP INDEX refresh_token_session",
        ], release: 2)
}

/// A session to insert, with its first refresh token.
struct NewSession: Sendable {
    let id: String
    let accountID: String
    let refreshHash: String
    let origin: SessionOrigin
    let createdAt: Timestamp
    /// The identity that opened the session; `nil` for a password.
    var identity: IdentityName?
    /// When the presented credential was made; `nil` stands for the time when the session was created.
    var provedAt: Timestamp?

    var authenticatedAt: Timestamp { min(createdAt, provedAt ?? createdAt) }
    var expiresAt: Timestamp { createdAt + SessionRules.refreshLifetime }
}

extension AccountStore {
    /// The result of presenting a refresh token. It is a value and not an error, because the end of a family must be committed, and an
    /// error would roll it back.
    enum RefreshOutcome: Sendable, Equatable {
        /// The successor was issued now or before.
        case granted(sessionID: String, accountID: String)
        /// The token was a replay, so the session has ended.
        case familyEnded(sessionID: String)
        /// Nothing changes, so that the token works again once the account is restored.
        case suspended
        /// The session got too many tokens. Nothing changes, so that the token works after this time.
        case tooMany(retryAfter: Duration)
        case refused
    }

    /// - Returns: `false` when the account no longer exists, or the identity is no longer linked to it.
    func openSession(_ session: NewSession) async throws -> Bool {
        do {
            return try await database.write { tx in
                if let identity = session.identity {
                    // A reset that removes the identity holds this lock. Either the session is inserted first and the reset ends it, or the
                    // session is not inserted.
                    try tx.lock(AccountLocks.password(of: session.accountID))
                    let owner = try tx.first(Self.identity(identity.issuer, identity.subject), Account.init)
                    guard owner?.id == session.accountID else { return false }
                }
                try Self.open(session, tx)
                return true
            }
        } catch DatabaseError.foreignKeyViolation {
            return false
        }
    }

    /// What the session of a credential says about its account.
    struct LiveSession: Sendable {
        let isAdmin: Bool
        let isSuspended: Bool

        /// Reads the columns of `liveSession`.
        init(_ row: inout RowReader) throws {
            isAdmin = try row.next("is_admin")
            let suspendedAt: Timestamp? = try row.next("suspended_at")
            isSuspended = suspendedAt != nil
        }
    }

    /// - Returns: `nil` when the session has ended or belongs to another account.
    func liveSession(_ id: String, of accountID: String) async throws -> LiveSession? {
        try await database.list(Self.liveSession(id, accountID), LiveSession.init).first
    }

    /// - Returns: `false` when the session had already ended or does not exist.
    @discardableResult
    func endSession(_ id: String, of accountID: String, at now: Timestamp) async throws -> Bool {
        try await database.write { tx in try Self.end(id, of: accountID, at: now, tx) }
    }

    /// The account of each session in `ids` that has not ended, by session id. Leaves out the sessions of closed and suspended accounts: a
    /// session that was inserted while its account was being closed may not have ended.
    /// - Parameter ids: at least one, at most a few hundred.
    func liveSessions(_ ids: [String]) async throws -> [String: String] {
        try await database.read { tx in
            try tx.rows(Self.liveSessions(ids)).reduce(into: [:]) { live, row in live[try row.get("id")] = try row.get("account") }
        }
    }

    /// Returns those of the account ids that exist and are neither closed nor suspended.
    /// - Parameter ids: at least one, at most a few hundred.
    func accounts(_ ids: [String]) async throws -> Set<String> {
        try await database.read { tx in Set(try tx.rows(Self.accounts(ids)).map { try $0.get("id") }) }
    }

    /// Selects from `viewers` those whom an issuer's token authenticated, and whose identity is still linked.
    /// - Parameter viewers: at most a few hundred.
    func linkedIdentities(of viewers: Set<Viewer>) async throws -> Set<Viewer> {
        let known = viewers.filter { $0.identity != nil }
        if known.isEmpty { return [] }
        return try await database.read { tx in
            let linked = try Set(
                tx.rows(Self.identityNames(of: Array(Set(known.map(\.accountID))))).map { row in
                    [try row.get("account"), IdentityName(issuer: try row.get("issuer"), subject: try row.get("subject")).id]
                })
            return known.filter { viewer in linked.contains([viewer.accountID, viewer.identity?.id ?? ""]) }
        }
    }

    /// Presents the token with hash `presented`; `successor` is the hash of the token that follows it.
    func refresh(_ presented: String, successor: String, at now: Timestamp) async throws -> RefreshOutcome {
        try await database.write { tx in
            // Two requests that present the same token at the same time must see each other's update.
            try tx.lock("refresh \(presented)")
            guard let row = try tx.row(Self.presentedToken(presented, successor: successor)) else { return .refused }
            let session: String = try row.get("session")
            let account: String = try row.get("account")
            let decision = SessionRules.decide(
                usedAt: try row.get("used_at"), isSuccessorUsed: try row.get("successor_used_at", as: Timestamp?.self) != nil,
                expiresAt: try row.get("expires_at"), familyEndedAt: try row.get("ended_at"), now: now)
            let isSuspended = try row.get("suspended_at", as: Timestamp?.self) != nil
            switch decision {
            case .refuse: return .refused
            case .answerAgain where isSuspended, .rotate where isSuspended: return .suspended
            case .answerAgain: return .granted(sessionID: session, accountID: account)
            case .endFamily:
                try Self.end(session, of: account, at: now, tx)
                return .familyEnded(sessionID: session)
            case .rotate:
                if let since = try row.get("crowded_since", as: Timestamp?.self),
                    let wait = SessionRules.wait(crowdedSince: since, now: now)
                {
                    return .tooMany(retryAfter: wait)
                }
                // This write comes first. It fails if a concurrent sign-out has ended the session, and then nothing is changed.
                guard try tx.run(Self.prolong(session, until: now + SessionRules.refreshLifetime, now)) == 1 else { return .refused }
                try tx.send(Self.markUsed(presented, now))
                try tx.send(Self.insertToken(successor, session, now))
                return .granted(sessionID: session, accountID: account)
            }
        }
    }

    /// Deletes sessions whose last refresh token has expired, used tokens after `SessionRules.usedTokenMemory`, and expired cookies.
    func sweepSessions(at now: Timestamp) async throws {
        try await sweep { limit, tx in
            let expired = Self.expiredSessions(before: now - SessionRules.accessLifetime, limit: limit)
            return try Self.remove(expired, limit: limit, tx)
        }
        try await sweep { limit, tx in
            try tx.run(Self.deleteTokens(expiredBefore: now - SessionRules.usedTokenMemory, limit: limit))
        }
        try await sweep { limit, tx in try tx.run(Self.deleteCookies(expiredBefore: now, limit: limit)) }
    }

    /// Very many rows may have expired since the last sweep, so they are deleted in steps.
    func sweep(_ step: @escaping @Sendable (_ limit: Int, WriteTransaction) throws -> Int) async throws {
        try await database.sweep { limit, tx in
            // Only one node deletes at a time: two nodes would wait for each other's rows.
            try tx.lock("expired sessions")
            return try step(limit, tx)
        }
    }

    /// Deletes some rows of an account that is being erased.
    /// - Returns: how many rows were deleted, at most `limit`; 0 when none is left.
    static func eraseSome(of account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try remove(allSessions(of: account, limit: limit), limit: limit, tx)
    }

    /// Deletes sessions. It deletes the refresh tokens of a session before the session itself, and counts them towards `limit`: a session
    /// may have very many, and deleting it would delete all of them in one statement.
    /// - Parameter selection: a SELECT of the sessions' ids, at most `limit`.
    /// - Returns: how many rows were deleted, at most `limit`; less when none is left.
    private static func remove(_ selection: SQL, limit: Int, _ tx: WriteTransaction) throws -> Int {
        var left = limit
        for session in try tx.list(selection, { try $0.next("id") as String }) {
            left -= try tx.run(deleteTokens(of: session, limit: left))
            guard left > 0 else { break }
            left -= try tx.run(deleteSession(session))
            guard left > 0 else { break }
        }
        return limit - left
    }

    /// Inserts a session of an account that exists, and ends those that were used least recently if it has too many.
    static func open(_ session: NewSession, _ tx: WriteTransaction) throws {
        // Two concurrent sign-ins must not end the same session.
        try tx.lock(AccountLocks.sessions(of: session.accountID))
        // Sessions are ended before the insert, so that the new session is never one of those that end. After the insert it could be:
        // another node's clock may be ahead, and then the other sessions seem to have been used later.
        for (id, lastUse) in try tx.list(
            surplusSessions(of: session.accountID),
            {
                (id: try $0.next("id") as String, lastUse: try $0.next("last_used_at") as Timestamp)
            })
        {
            try end(endSession(id, session.accountID, lastUsedAt: lastUse, session.createdAt), id, tx)
        }
        try insert(session, tx)
    }

    /// Inserts the first session of an account; `open` is for later ones.
    static func insert(_ session: NewSession, _ tx: WriteTransaction) throws {
        try tx.send(insertSession(session))
        try tx.send(insertToken(session.refreshHash, session.id, session.createdAt))
    }

    @discardableResult
    private static func end(_ id: String, of accountID: String, at now: Timestamp, _ tx: WriteTransaction) throws -> Bool {
        try end(endSession(id, accountID, now), id, tx)
    }

    @discardableResult
    private static func end(_ statement: SQL, _ id: String, _ tx: WriteTransaction) throws -> Bool {
        guard try tx.run(statement) > 0 else { return false }
        // Closes the session's sockets on every node; they outlive the request that opened them.
        tx.wake(Wake(.sessions, id))
        return true
    }

    // MARK: Statements

    static func insertSession(_ session: NewSession) -> SQL {
        """
        INSERT INTO session (id, account, method, user_agent, created_at, last_used_at, expires_at, authenticated_at, identity)
        VALUES (\(session.id), \(session.accountID), \(session.origin.method.rawValue), \(session.origin.userAgent),
            \(session.createdAt), \(session.createdAt), \(session.expiresAt), \(session.authenticatedAt), \(session.identity?.id))
        """
    }

    /// The sessions that must end before another one is opened: those that were used least recently.
    static func surplusSessions(of account: String) -> SQL {
        """
        SELECT id, last_used_at FROM session WHERE account = \(account) AND ended_at IS NULL
        ORDER BY ended_at DESC, last_used_at DESC LIMIT \(SessionRules.maxEndedAtSignIn) OFFSET \(SessionRules.maxSessions - 1)
        """
    }

    static func insertToken(_ hash: String, _ session: String, _ now: Timestamp) -> SQL {
        """
        INSERT INTO refresh_token (hash, session, created_at, expires_at)
        VALUES (\(hash), \(session), \(now), \(now + SessionRules.refreshLifetime))
        """
    }

    static func liveSession(_ id: String, _ accountID: String) -> SQL {
        """
        SELECT account.is_admin, account.suspended_at FROM session JOIN account ON account.id = session.account
        WHERE session.id = \(id) AND session.account = \(accountID) AND session.ended_at IS NULL AND account.closed_at IS NULL
        """
    }

    static func liveSessions(_ ids: [String]) -> SQL {
        """
        SELECT session.id, session.account FROM session JOIN account ON account.id = session.account
        WHERE session.id IN (\(sql: .list(ids))) AND session.ended_at IS NULL AND account.closed_at IS NULL AND account.suspended_at IS NULL
        """
    }

    static func accounts(_ ids: [String]) -> SQL {
        "SELECT id FROM account WHERE id IN (\(sql: .list(ids))) AND closed_at IS NULL AND suspended_at IS NULL"
    }

    /// If the session had already ended, its first end time stays.
    static func endSession(_ id: String, _ accountID: String, _ now: Timestamp) -> SQL {
        "UPDATE session SET ended_at = \(now) WHERE id = \(id) AND account = \(accountID) AND ended_at IS NULL"
    }

    /// Ends the session only if it has not been used since `lastUsedAt`; if it has, its client may have a new token.
    static func endSession(_ id: String, _ accountID: String, lastUsedAt: Timestamp, _ now: Timestamp) -> SQL {
        """
        UPDATE session SET ended_at = \(now)
        WHERE id = \(id) AND account = \(accountID) AND ended_at IS NULL AND last_used_at = \(lastUsedAt)
        """
    }

    static func presentedToken(_ hash: String, successor: String) -> SQL {
        """
        SELECT refresh_token.session, refresh_token.used_at, refresh_token.expires_at, session.account, session.ended_at,
            account.suspended_at, successor.used_at AS successor_used_at,
            (SELECT recent.created_at FROM refresh_token AS recent WHERE recent.session = refresh_token.session
                ORDER BY recent.created_at DESC LIMIT 1 OFFSET \(SessionRules.maxTokens - 1)) AS crowded_since
        FROM refresh_token JOIN session ON session.id = refresh_token.session JOIN account ON account.id = session.account
        LEFT JOIN refresh_token AS successor ON successor.hash = \(successor)
        WHERE refresh_token.hash = \(hash)
        """
    }

    static func markUsed(_ hash: String, _ now: Timestamp) -> SQL { "UPDATE refresh_token SET used_at = \(now) WHERE hash = \(hash)" }

    static func prolong(_ session: String, until end: Timestamp, _ now: Timestamp) -> SQL {
        "UPDATE session SET last_used_at = \(now), expires_at = \(end) WHERE id = \(session) AND ended_at IS NULL"
    }

    static func expiredSessions(before end: Timestamp, limit: Int) -> SQL {
        "SELECT id FROM session WHERE expires_at < \(end) LIMIT \(limit)"
    }

    /// Includes sessions that have ended.
    static func allSessions(of account: String, limit: Int) -> SQL { "SELECT id FROM session WHERE account = \(account) LIMIT \(limit)" }

    static func deleteSession(_ id: String) -> SQL { "DELETE FROM session WHERE id = \(id)" }

    static func deleteTokens(of session: String, limit: Int) -> SQL {
        "DELETE FROM refresh_token WHERE hash IN (SELECT hash FROM refresh_token WHERE session = \(session) LIMIT \(limit))"
    }

    static func deleteTokens(expiredBefore end: Timestamp, limit: Int) -> SQL {
        "DELETE FROM refresh_token WHERE hash IN (SELECT hash FROM refresh_token WHERE expires_at < \(end) LIMIT \(limit))"
    }
}
