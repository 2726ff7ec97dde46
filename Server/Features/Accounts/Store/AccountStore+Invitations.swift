internal import Core
internal import Database

extension AccountStore {
    func addInvitation(_ new: NewInvitation) async throws {
        _ = try await database.write { tx in try tx.run(Self.insertInvitation(new)) }
    }

    func judge(_ presented: PresentedInvitation, at now: Timestamp) async throws -> InvitationRules.Verdict {
        try await database.read { tx in try Self.judge(presented, at: now, tx) }
    }

    /// The result of registering with an invitation. Refusals are values and not errors, because nothing was written that an error would
    /// have to roll back.
    enum InvitedRegistration: Sendable {
        case made(Account)
        case emailTaken
        case refused(InvitationRules.Verdict)
    }

    /// In one transaction, creates the account and its first session, and marks the invitation as used.
    func register(_ new: NewAccount, _ session: NewSession, with invitation: PresentedInvitation) async throws -> InvitedRegistration {
        try await database.write { tx in try Self.register(new, session, with: invitation, tx) }
    }

    static func register(
        _ new: NewAccount, _ session: NewSession, with invitation: PresentedInvitation, _ tx: WriteTransaction
    ) throws -> InvitedRegistration {
        // Of two concurrent registrations with one code, the second must see that the first used it.
        try tx.lock(AccountLocks.invitation(invitation.hash))
        let verdict = try judge(invitation, at: new.createdAt, tx)
        guard verdict == .good else { return .refused(verdict) }
        guard try tx.row(insertAccount(new)) != nil else { return .emailTaken }
        try insert(session, tx)
        try tx.run(useInvitation(invitation.hash, by: new.id, new.createdAt))
        return .made(new.account)
    }

    func sweepInvitations(at now: Timestamp) async throws {
        let end = now - InvitationRules.memory
        try await sweep { limit, tx in try tx.run(Self.deleteInvitations(expiredBefore: end, limit: limit)) }
    }

    static func judge(
        _ presented: PresentedInvitation, at now: Timestamp, _ tx: ReadTransaction
    ) throws -> InvitationRules.Verdict {
        guard let row = try tx.row(invitation(presented.hash)) else { return .unknown }
        return InvitationRules.judge(
            invitedEmailHash: try row.get("email_hash"), presentedEmailHash: presented.emailHash, usedBy: try row.get("account"),
            expiresAt: try row.get("expires_at"), now: now)
    }

    // MARK: Statements

    static func insertInvitation(_ new: NewInvitation) -> SQL {
        """
        INSERT INTO invitation (hash, email_hash, created_at, expires_at)
        VALUES (\(new.hash), \(new.emailHash), \(new.createdAt), \(new.expiresAt))
        """
    }

    static func invitation(_ hash: String) -> SQL { "SELECT email_hash, account, expires_at FROM invitation WHERE hash = \(hash)" }

    static func useInvitation(_ hash: String, by account: String, _ now: Timestamp) -> SQL {
        "UPDATE invitation SET account = \(account), used_at = \(now) WHERE hash = \(hash)"
    }

    static func deleteInvitations(expiredBefore end: Timestamp, limit: Int) -> SQL {
        "DELETE FROM invitation WHERE hash IN (SELECT hash FROM invitation WHERE expires_at < \(end) LIMIT \(limit))"
    }
}
