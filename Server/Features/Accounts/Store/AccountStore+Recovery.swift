internal import Core
internal import Database
internal import Web

extension AccountMigrations {
    /// The columns with which an account's owner can remove an intruder.
    static let recovery = Migration(
        "accounts/024-recovery",
        [
            // When the password was last set; `NULL`: never, or before this column existed.
            "ALTER TABLE account ADD COLUMN credential_set_at BIGINT",
            // authenticated_at: when the session's credential was presented; sessions from before this column do not count as fresh.
            // identity: the identity that opened the session.
            "ALTER TABLE session ADD COLUMN authenticated_at BIGINT",
            "ALTER TABLE session ADD COLUMN identity TEXT COLLATE \"C\" CHECK (length(identity) = 43)",
            // linked_at: when the account's owner linked the identity; `NULL`: the account was created with it.
            "ALTER TABLE identity ADD COLUMN linked_at BIGINT",
            """
            UPDATE identity SET linked_at = created_at
            WHERE created_at > (SELECT account.created_at FROM account WHERE account.id = identity.account)
            """,
            "ALTER TABLE session_cookie ADD COLUMN user_agent TEXT CHECK (length(user_agent) BETWEEN 1 AND 256)",
        ])
}

extension AccountMigrations {
    static let recoveredAt = Migration(
        "accounts/032-recovered",
        [
            // When the password was last set with a code or by the operator; `NULL`: never, or before this column existed. A password
            // change by a session does not set it, because an intruder who knows the password can make such a change.
            "ALTER TABLE account ADD COLUMN recovered_at BIGINT"
        ], release: 2)
}

extension AccountStore {
    enum Unlinking: Sendable, Equatable {
        /// The remaining identities.
        case unlinked([LinkedIdentity])
        case unknown, last, signedOut
    }

    /// The result of setting a password.
    struct PasswordSet: Sendable {
        let account: String
        let endedSessions: Int
        /// The identities that were linked since the account was last recovered; see `setPassword`.
        let recent: [LinkedIdentity]
        let isRecentRemoved: Bool
    }

    /// - Returns: when the credential behind the viewer's session was presented; `nil` when unknown.
    func signedInAt(_ viewer: Viewer) async throws -> Timestamp? {
        if let identity = viewer.identity { return identity.signedInAt }
        guard let session = viewer.sessionID else { return nil }
        return try await database.read { tx in
            try tx.row(Self.authentication(session, viewer.accountID))?.get("authenticated_at")
        }
    }

    /// - Parameter apple: the issuer of Apple's tokens; empty when Sign in with Apple is not set up.
    func unlink(
        _ id: String, _ viewer: Viewer, apple: String, at now: Timestamp, _ notices: OwnerNotices
    ) async throws -> Unlinking {
        let account = viewer.accountID
        return try await database.write { tx in
            try tx.lock(AccountLocks.password(of: account))
            try tx.lock(AccountLocks.identities(of: account))
            guard try Self.isSignedIn(viewer, tx) else { return .signedOut }
            let known = try tx.list(Self.identities(of: account), LinkedIdentity.init)
            guard let unlinked = known.first(where: { $0.id == id }) else { return .unknown }
            let hasPassword = try tx.row(Self.passwordHash(account))?.get("password_hash", as: String?.self) != nil
            guard hasPassword || known.count > 1 else { return .last }
            try Self.remove([unlinked], of: account, tx)
            let left = known.filter { $0.id != id }
            // Apple's tokens prove no phone number. If no other identity is left, one that was removed has proved the account's number.
            if left.allSatisfy({ $0.issuer == apple }) { try tx.run(Self.dropPhone(of: account)) }
            for row in try tx.rows(Self.endSessions(of: account, openedBy: id, but: viewer.sessionID, now)) {
                tx.wake(Wake(.sessions, try row.get("id")))
            }
            try notices.notify(.identityRemoved(unlinked), account, at: now, tx)
            return .unlinked(left)
        }
    }

    /// Whether the viewer's session is live or, for a viewer without a session, their identity is still linked. Call it in the transaction
    /// of a change that must not happen after a reset.
    static func isSignedIn(_ viewer: Viewer, _ tx: ReadTransaction) throws -> Bool {
        if let session = viewer.sessionID {
            return try tx.first(liveSession(session, viewer.accountID), LiveSession.init)?.isSuspended == false
        }
        guard let identity = viewer.identity else { return false }
        return try tx.list(identities(of: viewer.accountID), LinkedIdentity.init).contains { $0.id == identity.id }
    }

    /// Call it in the transaction that sets the new password. The caller holds the account's password lock, so no other request links an
    /// identity meanwhile.
    /// - Parameter start: identities that were linked at this time or later are recent. If it is `nil`, all linked identities are recent.
    /// - Returns: the recent identities, and all identities that can still sign in.
    static func removeRecentIdentities(
        of account: String, since start: Timestamp?, keeping isKept: Bool, _ tx: WriteTransaction
    ) throws -> (recent: [LinkedIdentity], left: [LinkedIdentity]) {
        let all = try tx.list(identities(of: account), LinkedIdentity.init)
        let recent = all.filter { identity in
            identity.linkedAt.map { linkedAt in start.map { linkedAt >= $0 } ?? true } ?? false
        }
        if isKept { return (recent, all) }
        try remove(recent, of: account, tx)
        return (recent, all.filter { !recent.contains($0) })
    }

    static func recoveredAt(of account: String, _ tx: ReadTransaction) throws -> Timestamp? {
        try tx.row(recoveredAt(account))?.get("recovered_at")
    }

    private static func remove(_ identities: [LinkedIdentity], of account: String, _ tx: WriteTransaction) throws {
        for identity in identities {
            try tx.run(deleteIdentity(identity.issuer, identity.subject, of: account))
            // Closes sockets that were opened with the issuer's own tokens.
            tx.wake(Wake(.sessions, identity.id))
        }
    }

    // MARK: Statements

    static func authentication(_ session: String, _ account: String) -> SQL {
        "SELECT authenticated_at FROM session WHERE id = \(session) AND account = \(account)"
    }

    static func recoveredAt(_ account: String) -> SQL { "SELECT recovered_at FROM account WHERE id = \(account)" }

    static func identityNames(of accounts: [String]) -> SQL {
        "SELECT account, issuer, subject FROM identity WHERE account IN (\(sql: .list(accounts)))"
    }

    static func deleteIdentity(_ issuer: String, _ subject: String, of account: String) -> SQL {
        "DELETE FROM identity WHERE issuer = \(issuer) AND subject = \(subject) AND account = \(account)"
    }

    static func endSessions(of account: String, openedBy identity: String, but kept: String?, _ now: Timestamp) -> SQL {
        let others: SQL = kept.map { " AND id <> \($0)" } ?? ""
        return """
            UPDATE session SET ended_at = \(now)
            WHERE account = \(account) AND identity = \(identity) AND ended_at IS NULL\(sql: others) RETURNING id
            """
    }
}
