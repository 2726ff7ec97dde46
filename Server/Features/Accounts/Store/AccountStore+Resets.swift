internal import Core
internal import Database
internal import Jobs

/// A code to set a password with, as it is first written.
struct NewReset: Sendable {
    let id: String
    let hash: String
    let createdAt: Timestamp
    let expiresAt: Timestamp
}

extension AccountStore {
    /// What a mail about a reset needs.
    struct ResetLetter: Sendable {
        let email: String
        let expiresAt: Timestamp
    }

    /// Puts in what will find out whether there is such an account. The same work for an address that has one and for one that has none.
    func askForReset(_ job: FindResetAccount, _ queue: JobQueue) async throws {
        _ = try await database.write { tx in try queue.enqueue(job, owner: nil, tx) }
    }

    /// In the transaction of the job that asks: the code and the mail's job, if the account is there, has a password and has not been written
    /// to often. An account that signs in by other means is left alone.
    static func addReset(_ new: NewReset, email: String, _ queue: JobQueue, _ tx: WriteTransaction) throws {
        guard let row = try tx.row(credential(email: email)), try row.get("password_hash", as: String?.self) != nil else { return }
        let account: String = try row.get("id")
        try tx.lock("password \(account)")
        let live: Int = try tx.row(liveResets(of: account, new.createdAt))?.get("n") ?? 0
        guard live < ResetRules.liveLimit else { return }
        try tx.run(insertReset(new, account))
        try queue.enqueue(SendResetMail(reset: new.id), owner: account, tx)
    }

    /// For whoever runs the server: any account.
    /// - Returns: its id; `nil` when there is none of that address.
    func addReset(_ new: NewReset, email: String) async throws -> String? {
        try await database.write { tx in
            guard let row = try tx.row(Self.credential(email: email)) else { return nil }
            let account: String = try row.get("id")
            try tx.run(Self.insertReset(new, account))
            return account
        }
    }

    /// - Returns: `nil` when the code was used, is over, or its account is gone.
    func resetLetter(_ id: String, at now: Timestamp) async throws -> ResetLetter? {
        try await database.read { tx in
            guard let row = try tx.row(Self.reset(id, now)), let email = try row.get("email", as: String?.self) else { return nil }
            return ResetLetter(email: email, expiresAt: try row.get("expires_at"))
        }
    }

    func isLiveReset(_ hash: String, at now: Timestamp) async throws -> Bool {
        try await database.read { tx in try tx.row(Self.liveReset(hash, now)) != nil }
    }

    /// The new password, the end of every session, of every other code and of what was linked since the last password, or none of them.
    /// - Parameter isKept: what was linked stays.
    /// - Returns: `nil` when the code is not good any more.
    func reset(
        _ hash: String, to password: Secret<String>, keepingIdentities isKept: Bool, at now: Timestamp, _ notices: OwnerNotices
    ) async throws -> PasswordSet? {
        try await database.write { tx in
            // The deletion is the use: of two at once, one finds the row.
            guard let account: String = try tx.row(Self.useReset(hash, now))?.get("account") else { return nil }
            return try Self.setPassword(of: account, to: password, keepingIdentities: isKept, at: now, notices, tx)
        }
    }

    /// - Returns: `nil` when there is no account of that address.
    func setPassword(
        email: String, to password: Secret<String>, keepingIdentities isKept: Bool, at now: Timestamp, _ notices: OwnerNotices
    ) async throws -> PasswordSet? {
        try await database.write { tx in
            guard let account: String = try tx.row(Self.credential(email: email))?.get("id") else { return nil }
            return try Self.setPassword(of: account, to: password, keepingIdentities: isKept, at: now, notices, tx)
        }
    }

    private static func setPassword(
        of account: String, to password: Secret<String>, keepingIdentities isKept: Bool, at now: Timestamp, _ notices: OwnerNotices,
        _ tx: WriteTransaction
    ) throws -> PasswordSet {
        // Whoever signs in with the old password at this moment has a session before this, which ends here, or none.
        try tx.lock("password \(account)")
        // Before the account's row: a sign-in by an identity locks the two rows in this order, too.
        let recent = try removeRecentIdentities(of: account, keeping: isKept, tx)
        try tx.run(setPasswordHash(account, password, now))
        try tx.run(deleteResets(of: account))
        let ended = try endSessions(of: account, but: nil, at: now, tx)
        try notices.tell(.passwordSet, account, recent, areKept: isKept, at: now, tx)
        return PasswordSet(account: account, endedSessions: ended, recent: recent, isRecentRemoved: !isKept)
    }

    /// As `openSession`, if the password is still the one that was proved.
    func openSession(_ session: NewSession, ifPasswordIs proved: Secret<String>) async throws -> Bool {
        do {
            return try await database.write { tx in
                try tx.lock("password \(session.accountID)")
                guard let row = try tx.row(Self.passwordHash(session.accountID)),
                    try row.get("password_hash", as: String?.self) == proved.exposed
                else { return false }
                try Self.insert(session, tx)
                return true
            }
        } catch DatabaseError.foreignKeyViolation {
            return false
        }
    }

    func sweepResets(at now: Timestamp) async throws {
        _ = try await database.write { tx in try tx.run(Self.deleteResets(expiredBefore: now)) }
    }

    // MARK: Statements

    static func insertReset(_ new: NewReset, _ account: String) -> SQL {
        """
        INSERT INTO password_reset (id, hash, account, created_at, expires_at)
        VALUES (\(new.id), \(new.hash), \(account), \(new.createdAt), \(new.expiresAt))
        """
    }

    static func reset(_ id: String, _ now: Timestamp) -> SQL {
        """
        SELECT account.email, password_reset.expires_at FROM password_reset JOIN account ON account.id = password_reset.account
        WHERE password_reset.id = \(id) AND password_reset.expires_at > \(now)
        """
    }

    static func liveReset(_ hash: String, _ now: Timestamp) -> SQL {
        "SELECT id FROM password_reset WHERE hash = \(hash) AND expires_at > \(now)"
    }

    static func liveResets(of account: String, _ now: Timestamp) -> SQL {
        "SELECT COUNT(*) AS n FROM password_reset WHERE account = \(account) AND expires_at > \(now)"
    }

    static func useReset(_ hash: String, _ now: Timestamp) -> SQL {
        "DELETE FROM password_reset WHERE hash = \(hash) AND expires_at > \(now) RETURNING account"
    }

    static func deleteResets(of account: String) -> SQL { "DELETE FROM password_reset WHERE account = \(account)" }

    static func deleteResets(expiredBefore end: Timestamp) -> SQL { "DELETE FROM password_reset WHERE expires_at < \(end)" }

    static func passwordHash(_ account: String) -> SQL { "SELECT password_hash FROM account WHERE id = \(account)" }

    static func setPasswordHash(_ account: String, _ new: Secret<String>, _ now: Timestamp) -> SQL {
        "UPDATE account SET password_hash = \(new.exposed), credential_set_at = \(now) WHERE id = \(account)"
    }
}
