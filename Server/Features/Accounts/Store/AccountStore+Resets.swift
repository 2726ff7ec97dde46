internal import Core
internal import Database
internal import Jobs
internal import Web

extension AccountStore {
    /// Enqueues the job that looks for the account. It does the same work whether or not the address has an account.
    /// - Parameter party: see `MailTurns`.
    func askForReset(_ job: FindResetAccount, askedBy party: String?, _ queue: JobQueue) async throws {
        _ = try await database.write { tx in try queue.enqueue(job, owner: nil, turn: JobTurnKey(party: party), tx) }
    }

    /// Runs in the transaction of that job: inserts the code and enqueues the mail, if the account exists, has a password and has not
    /// reached the limit of mails. An account that signs in by other means, or is suspended, gets no mail.
    static func addReset(_ new: NewCode, email: String, _ queue: JobQueue, _ tx: WriteTransaction) throws {
        guard let row = try tx.row(credential(email: email)), try row.get("password_hash", as: String?.self) != nil,
            try row.get("suspended_at", as: Timestamp?.self) == nil
        else { return }
        let account: String = try row.get("id")
        try tx.lock(AccountLocks.password(of: account))
        let live: Int = try tx.row(liveResets(of: account, new.createdAt))?.get("n") ?? 0
        guard live < ResetRules.liveLimit else { return }
        try tx.run(insertReset(new, account))
        try queue.enqueue(SendResetMail(reset: new.id), owner: account, turn: JobTurnKey(target: MailTurns.target(email)), tx)
    }

    /// For the operator: works for any account.
    /// - Returns: the account's id; `nil` when no account has that address.
    func addReset(_ new: NewCode, email: String) async throws -> String? {
        try await database.write { tx in
            guard let row = try tx.row(Self.credential(email: email)) else { return nil }
            let account: String = try row.get("id")
            try tx.run(Self.insertReset(new, account))
            return account
        }
    }

    /// The data for a reset's mail.
    /// - Returns: `nil` when the code was used or has expired, or its account no longer exists.
    func pendingResetMail(_ id: String, at now: Timestamp) async throws -> PendingCodeMail? {
        try await database.read { tx in
            guard let row = try tx.row(Self.reset(id, now)), let email = try row.get("email", as: String?.self) else { return nil }
            return PendingCodeMail(id: id, email: email, expiresAt: try row.get("expires_at"), isTaken: false)
        }
    }

    enum ResetCheck: Sendable {
        case good, suspended
        /// The code was used or has expired, or never existed.
        case refused
    }

    func checkReset(_ hash: String, at now: Timestamp) async throws -> ResetCheck {
        try await database.read { tx in
            guard let row = try tx.row(Self.liveReset(hash, now)) else { return .refused }
            return try row.get("suspended_at", as: Timestamp?.self) == nil ? .good : .suspended
        }
    }

    /// In one transaction, sets the new password, ends every session and every other code, revokes the secrets that other features made for
    /// the account (`Recoveries`), and removes the identities linked since the last recovery.
    /// - Parameter isKept: `true` keeps these identities.
    /// - Returns: `nil` when the code is no longer valid.
    func reset(
        _ hash: String, to password: Secret<String>, keepingIdentities isKept: Bool, at now: Timestamp, _ notices: OwnerNotices
    ) async throws -> PasswordSet? {
        try await database.write { [recoveries] tx in
            // Deleting the row uses up the code: of two concurrent requests only one finds it.
            guard let account: String = try tx.row(Self.useReset(hash, now))?.get("account") else { return nil }
            let way = PasswordWay.code(keepsIdentities: isKept, recoveries)
            return try Self.setPassword(of: account, to: password, way, at: now, notices, tx)
        }
    }

    /// Sets a password for the operator. Unless `isKept`, removes all linked identities, also those linked before the last recovery: an
    /// intruder who has changed the account's e-mail address may have made that recovery.
    /// - Returns: `nil` when no account has that address.
    func setPassword(
        email: String, to password: Secret<String>, keepingIdentities isKept: Bool, at now: Timestamp, _ notices: OwnerNotices
    ) async throws -> PasswordSet? {
        try await database.write { [recoveries] tx in
            guard let account: String = try tx.row(Self.credential(email: email))?.get("id") else { return nil }
            let way = PasswordWay.operator(keepsIdentities: isKept, recoveries)
            return try Self.setPassword(of: account, to: password, way, at: now, notices, tx)
        }
    }

    /// In one transaction, sets the new password, and ends every other session and every code.
    /// - Parameter proved: the hash of the old password, which the caller has checked.
    /// - Returns: `nil` when the viewer is no longer signed in, or the password has changed meanwhile.
    func changePassword(
        of viewer: Viewer, from proved: Secret<String>, to password: Secret<String>, at now: Timestamp, _ notices: OwnerNotices
    ) async throws -> PasswordSet? {
        let account = viewer.accountID
        return try await database.write { tx in
            try tx.lock(AccountLocks.password(of: account))
            guard try Self.isSignedIn(viewer, tx), try Self.isPassword(of: account, proved, tx) else { return nil }
            return try Self.setPassword(of: account, to: password, .session(viewer.sessionID), at: now, notices, tx)
        }
    }

    /// Whether the account's password is still the one with this hash. Call it under the account's password lock.
    static func isPassword(of account: String, _ proved: Secret<String>, _ tx: ReadTransaction) throws -> Bool {
        try tx.row(passwordHash(account))?.get("password_hash", as: String?.self) == proved.exposed
    }

    /// Who sets a password.
    private enum PasswordWay {
        /// Somebody who entered a reset code. This counts as a recovery.
        case code(keepsIdentities: Bool, Recoveries)
        /// The operator. This counts as a recovery.
        case `operator`(keepsIdentities: Bool, Recoveries)
        /// A signed-in user who knows the old password. An intruder may know it too, so this does not count as a recovery. The given
        /// session does not end; it is `nil` for a caller without a session.
        case session(String?)
    }

    private static func setPassword(
        of account: String, to password: Secret<String>, _ way: PasswordWay, at now: Timestamp, _ notices: OwnerNotices,
        _ tx: WriteTransaction
    ) throws -> PasswordSet {
        // A concurrent sign-in with the old password either opens its session before this lock is taken, and the session ends here, or it
        // opens none.
        try tx.lock(AccountLocks.password(of: account))
        let (isKept, recoveries, kept): (Bool, Recoveries?, String?) =
            switch way {
            case .code(let keeps, let others), .operator(let keeps, let others): (keeps, others, nil)
            case .session(let session): (true, nil, session)
            }
        let start: Timestamp? = if case .operator = way { nil } else { try recoveredAt(of: account, tx) }
        // The identities are locked before the account's row: a sign-in by identity locks the two rows in the same order.
        let (recent, left) = try removeRecentIdentities(of: account, since: start, keeping: isKept, tx)
        try tx.run(setPasswordHash(account, password, now, isRecovery: recoveries != nil))
        // One of the removed identities may have proved the phone number. The owner's next token proves the owner's number again.
        if !isKept, !recent.isEmpty { try tx.run(dropPhone(of: account)) }
        try tx.run(deleteResets(of: account))
        try tx.run(deleteEmailChanges(of: account))
        let ended = try endSessions(of: account, but: kept, at: now, tx)
        let revoked = try recoveries?.run(account, tx) ?? []
        let new = OwnerNotices.NewPassword(recent: recent, areKept: isKept, keepsSession: kept != nil, left: left, revoked: revoked)
        try notices.notify(.passwordSet(new), account, at: now, tx)
        return PasswordSet(account: account, endedSessions: ended, recent: recent, isRecentRemoved: !isKept)
    }

    /// Does what `openSession(_:)` does, if the password is still the one that was checked.
    func openSession(_ session: NewSession, ifPasswordIs proved: Secret<String>) async throws -> Bool {
        do {
            return try await database.write { tx in
                try tx.lock(AccountLocks.password(of: session.accountID))
                guard try Self.isPassword(of: session.accountID, proved, tx) else { return false }
                try Self.open(session, tx)
                return true
            }
        } catch DatabaseError.foreignKeyViolation {
            return false
        }
    }

    func sweepResets(at now: Timestamp) async throws {
        try await sweep { limit, tx in try tx.run(Self.deleteResets(expiredBefore: now, limit: limit)) }
    }

    // MARK: Statements

    static func insertReset(_ new: NewCode, _ account: String) -> SQL {
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
        """
        SELECT account.suspended_at FROM password_reset JOIN account ON account.id = password_reset.account
        WHERE password_reset.hash = \(hash) AND password_reset.expires_at > \(now)
        """
    }

    static func liveResets(of account: String, _ now: Timestamp) -> SQL {
        "SELECT COUNT(*) AS n FROM password_reset WHERE account = \(account) AND expires_at > \(now)"
    }

    static func useReset(_ hash: String, _ now: Timestamp) -> SQL {
        "DELETE FROM password_reset WHERE hash = \(hash) AND expires_at > \(now) RETURNING account"
    }

    static func deleteResets(of account: String) -> SQL { "DELETE FROM password_reset WHERE account = \(account)" }

    static func deleteResets(expiredBefore end: Timestamp, limit: Int) -> SQL {
        "DELETE FROM password_reset WHERE id IN (SELECT id FROM password_reset WHERE expires_at < \(end) LIMIT \(limit))"
    }

    static func passwordHash(_ account: String) -> SQL { "SELECT password_hash FROM account WHERE id = \(account)" }

    static func setPasswordHash(_ account: String, _ new: Secret<String>, _ now: Timestamp, isRecovery: Bool) -> SQL {
        let recovered: SQL = isRecovery ? ", recovered_at = \(now)" : ""
        return """
            UPDATE account SET password_hash = \(new.exposed), credential_set_at = \(now)\(sql: recovered) WHERE id = \(account)
            """
    }
}
