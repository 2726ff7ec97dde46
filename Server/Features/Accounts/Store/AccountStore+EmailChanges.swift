internal import Core
internal import Database
internal import Jobs
internal import Web

extension AccountMigrations {
    static let emailChange = Migration(
        "accounts/028-email-change",
        [
            // hash: SHA-256 of the code in base64url. The code is derived from the id and a secret of the server, and is not stored.
            """
            CREATE TABLE email_change (
                id TEXT COLLATE "C" PRIMARY KEY NOT NULL CHECK (length(id) BETWEEN 1 AND 128),
                hash TEXT COLLATE "C" NOT NULL CHECK (length(hash) = 43),
                account TEXT COLLATE "C" NOT NULL REFERENCES account (id) ON DELETE CASCADE,
                email TEXT COLLATE "C" NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
                created_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL CHECK (expires_at > created_at),
                used_at BIGINT
            )
            """,
            "CREATE INDEX email_change_account ON email_change (account)",
            "CREATE INDEX email_change_email ON email_change (email)",
            "CREATE INDEX email_change_expires_at ON email_change (expires_at)",
        ], release: 2)
}

/// A requested change of an e-mail address, to insert.
struct NewEmailChange: Sendable {
    let code: NewCode
    let account: String
    /// The new address.
    let email: String
}

extension AccountStore {
    enum EmailChangeRequest: Sendable, Equatable {
        case asked
        /// The account or the address has reached the limit of codes.
        case tooMany
        /// The viewer is no longer signed in, or the password has changed.
        case refused
    }

    /// Stores the request and enqueues its mail.
    func askForEmailChange(
        _ new: NewEmailChange, by viewer: Viewer, ifPasswordIs proved: Secret<String>, _ queue: JobQueue
    ) async throws -> EmailChangeRequest {
        try await database.write { tx in
            try tx.lock(AccountLocks.password(of: new.account))
            guard try Self.isSignedIn(viewer, tx), try Self.isPassword(of: new.account, proved, tx) else { return .refused }
            let now = new.code.createdAt
            for (statement, limit) in [
                (Self.liveEmailChanges(of: new.account, now), EmailRules.liveLimit),
                (Self.liveEmailChanges(to: new.email, now), EmailRules.addressLimit),
            ] {
                let live: Int = try tx.row(statement)?.get("n") ?? 0
                guard live < limit else { return .tooMany }
            }
            try tx.run(Self.insertEmailChange(new))
            let turn = JobTurnKey(target: MailTurns.target(new.email))
            try queue.enqueue(SendEmailCode(change: new.code.id), owner: new.account, turn: turn, tx)
            return .asked
        }
    }

    /// The data for the mail to the new address.
    /// - Returns: `nil` when the code was used or has expired, or its account is suspended or no longer exists.
    func pendingEmailChangeMail(_ id: String, at now: Timestamp) async throws -> PendingCodeMail? {
        try await database.read { tx in
            guard let row = try tx.row(Self.emailChange(id, now)) else { return nil }
            let email: String = try row.get("email")
            return PendingCodeMail(
                id: id, email: email, expiresAt: try row.get("expires_at"), isTaken: try tx.row(Self.credential(email: email)) != nil)
        }
    }

    enum EmailConfirmation: Sendable {
        case changed(OwnAccount)
        /// The code was used or has expired, or never existed, or belongs to another account.
        case refused
        /// Another account has the address.
        case taken
        case signedOut
    }

    func confirmEmail(
        _ hash: String, by viewer: Viewer, at now: Timestamp, _ files: (any AccountFiles)?, _ notices: OwnerNotices
    ) async throws -> EmailConfirmation {
        let id = viewer.accountID
        do {
            return try await database.write { tx in
                try tx.lock(AccountLocks.password(of: id))
                guard try Self.isSignedIn(viewer, tx), let old = try Self.ownAccount(id, files, tx) else { return .signedOut }
                guard let row = try tx.row(Self.emailChange(hash: hash, of: id, now)) else { return .refused }
                let email: String = try row.get("email")
                if try row.get("used_at", as: Timestamp?.self) != nil {
                    return old.account.email == email ? .changed(old) : .refused
                }
                guard let account = try tx.first(Self.setEmail(id, email), Account.init) else { return .signedOut }
                try tx.send(Self.useEmailChange(try row.get("id"), now))
                // Reset codes were mailed to the old address, so they become invalid.
                try tx.send(Self.deleteResets(of: id))
                if let old = old.account.email { try notices.notifyOldAddress(old, of: id, at: now, tx) }
                return .changed(OwnAccount(account: account, files: old.files))
            }
        } catch DatabaseError.uniqueViolation {
            return .taken
        }
    }

    func sweepEmailChanges(at now: Timestamp) async throws {
        try await sweep { limit, tx in try tx.run(Self.deleteEmailChanges(expiredBefore: now, limit: limit)) }
    }

    // MARK: Statements

    static func insertEmailChange(_ new: NewEmailChange) -> SQL {
        """
        INSERT INTO email_change (id, hash, account, email, created_at, expires_at)
        VALUES (\(new.code.id), \(new.code.hash), \(new.account), \(new.email), \(new.code.createdAt), \(new.code.expiresAt))
        """
    }

    static func emailChange(_ id: String, _ now: Timestamp) -> SQL {
        """
        SELECT email_change.email, email_change.expires_at FROM email_change JOIN account ON account.id = email_change.account
        WHERE email_change.id = \(id) AND email_change.expires_at > \(now) AND email_change.used_at IS NULL
            AND account.closed_at IS NULL AND account.suspended_at IS NULL
        """
    }

    static func emailChange(hash: String, of account: String, _ now: Timestamp) -> SQL {
        "SELECT id, email, used_at FROM email_change WHERE account = \(account) AND hash = \(hash) AND expires_at > \(now)"
    }

    static func liveEmailChanges(of account: String, _ now: Timestamp) -> SQL {
        "SELECT COUNT(*) AS n FROM email_change WHERE account = \(account) AND expires_at > \(now)"
    }

    static func liveEmailChanges(to email: String, _ now: Timestamp) -> SQL {
        "SELECT COUNT(*) AS n FROM email_change WHERE email = \(email) AND expires_at > \(now)"
    }

    static func useEmailChange(_ id: String, _ now: Timestamp) -> SQL { "UPDATE email_change SET used_at = \(now) WHERE id = \(id)" }

    static func deleteEmailChanges(of account: String) -> SQL { "DELETE FROM email_change WHERE account = \(account)" }

    static func deleteEmailChanges(expiredBefore end: Timestamp, limit: Int) -> SQL {
        "DELETE FROM email_change WHERE id IN (SELECT id FROM email_change WHERE expires_at < \(end) LIMIT \(limit))"
    }

    static func setEmail(_ id: String, _ email: String) -> SQL {
        "UPDATE account SET email = \(email) WHERE id = \(id) AND closed_at IS NULL RETURNING \(sql: Account.table.columns)"
    }
}
