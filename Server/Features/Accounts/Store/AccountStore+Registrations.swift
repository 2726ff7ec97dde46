internal import Core
internal import Database
internal import Jobs

extension AccountMigrations {
    static let registration = Migration(
        "accounts/029-registration",
        [
            // A registration that waits for its code; there is no account yet. hash: SHA-256 of the code in base64url. The code is derived
            // from the id and a secret of the server, and is not stored. invitation, invitation_email: as `PresentedInvitation`.
            """
            CREATE TABLE registration (
                id TEXT COLLATE "C" PRIMARY KEY NOT NULL CHECK (length(id) BETWEEN 1 AND 128),
                hash TEXT COLLATE "C" UNIQUE NOT NULL CHECK (length(hash) = 43),
                email TEXT COLLATE "C" NOT NULL CHECK (length(email) BETWEEN 3 AND 254),
                name TEXT CHECK (length(name) BETWEEN 1 AND 200),
                password_hash TEXT NOT NULL,
                invitation TEXT COLLATE "C" CHECK (length(invitation) = 43),
                invitation_email TEXT COLLATE "C" CHECK (length(invitation_email) = 43),
                created_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL CHECK (expires_at > created_at)
            )
            """,
            "CREATE INDEX registration_email ON registration (email, created_at, id)",
            "CREATE INDEX registration_expires_at ON registration (expires_at)",
        ], release: 2)

    static let registrationTimeZone = Migration(
        "accounts/030-registration-time-zone",
        // The column has the same form as `account.time_zone`.
        ["ALTER TABLE registration ADD COLUMN time_zone TEXT COLLATE \"C\" CHECK (length(time_zone) BETWEEN 1 AND 64)"], release: 2)

    static let registrationParty = Migration(
        "accounts/035-registration-party",
        // The network that asked for the code, as `MailTurns.party`; NULL for a request through a Unix socket, and in older rows.
        ["ALTER TABLE registration ADD COLUMN party TEXT COLLATE \"C\""], release: 2)
}

/// What the person who registers has sent.
struct RegistrationForm: Sendable {
    let email: String
    let name: String?
    let passwordHash: Secret<String>
    let invitation: PresentedInvitation?
    /// An IANA name; `nil` for the server's time zone.
    var timeZone: String?
}

extension AccountStore {
    /// Stores the registration and enqueues its mail.
    /// - Parameter party: see `MailTurns`.
    /// - Returns: `false`, and nothing is stored, when the address has too many codes from this network, or from all networks in total.
    func hold(_ new: NewCode, _ form: RegistrationForm, askedBy party: String?, _ queue: JobQueue) async throws -> Bool {
        try await database.write { tx in try Self.hold(new, form, askedBy: party, queue, tx) }
    }

    private static func hold(
        _ new: NewCode, _ form: RegistrationForm, askedBy party: String?, _ queue: JobQueue, _ tx: WriteTransaction
    ) throws -> Bool {
        try tx.lock("registration \(form.email)")
        if let live = try tx.row(liveRegistrations(of: form.email, askedBy: party, new.createdAt)) {
            guard try live.get("own", as: Int.self) < RegistrationRules.liveLimit,
                try live.get("n", as: Int.self) < RegistrationRules.addressLimit
            else { return false }
        }
        try tx.run(insertRegistration(new, form, askedBy: party))
        let turn = JobTurnKey(party: party, target: MailTurns.target(form.email))
        try queue.enqueue(SendRegistrationMail(registration: new.id), owner: nil, turn: turn, tx)
        return true
    }

    /// Enqueues the job that looks for the registration. It does the same work for every address.
    func askForConfirmation(_ job: FindRegistration, askedBy party: String?, _ queue: JobQueue) async throws {
        _ = try await database.write { tx in try queue.enqueue(job, owner: nil, turn: JobTurnKey(party: party), tx) }
    }

    /// Runs in the transaction of that job: stores the newest registration of the address again, with a new code. If the requesting network
    /// has registrations of the address, this uses the newest of those, because somebody else may have registered the address meanwhile,
    /// with another password.
    static func repeatRegistration(
        of email: String, as new: NewCode, askedBy party: String?, _ queue: JobQueue, _ tx: WriteTransaction
    ) throws {
        guard
            let row = try tx.row(newestRegistration(of: email, askedBy: party, new.createdAt))
                ?? tx.row(newestRegistration(of: email, new.createdAt))
        else { return }
        _ = try hold(new, try form(row), askedBy: party, queue, tx)
    }

    private static func form(_ row: Row) throws -> RegistrationForm {
        let invitation: String? = try row.get("invitation")
        let email: String? = try row.get("invitation_email")
        return RegistrationForm(
            email: try row.get("email"), name: try row.get("name"), passwordHash: Secret(try row.get("password_hash")),
            invitation: invitation.flatMap { hash in email.map { PresentedInvitation(hash: hash, emailHash: $0) } },
            timeZone: try row.get("time_zone"))
    }

    /// The data for a registration's mail.
    /// - Returns: `nil` when the code was used or has expired.
    func pendingRegistrationMail(_ id: String, at now: Timestamp) async throws -> PendingCodeMail? {
        try await database.read { tx in
            guard let row = try tx.row(Self.registration(id, now)) else { return nil }
            let email: String = try row.get("email")
            return PendingCodeMail(
                id: id, email: email, expiresAt: try row.get("expires_at"), isTaken: try tx.row(Self.credential(email: email)) != nil)
        }
    }

    /// The hash of the password that belongs to the code.
    /// - Returns: `nil` when the code was used or has expired, or never existed.
    func registrationPassword(_ hash: String, at now: Timestamp) async throws -> String? {
        try await database.read { tx in try tx.row(Self.registration(hash: hash, now))?.get("password_hash", as: String.self) }
    }

    enum RegistrationConfirmation: Sendable {
        case made(Account)
        /// The address has an account.
        case emailTaken
        /// The code was used or has expired, or never existed.
        case refused
        /// The registration came without an invitation, and registration is no longer open to everybody.
        case notOpen
        /// The registration's invitation is no longer valid.
        case uninvited(InvitationRules.Verdict)
    }

    /// Creates the account and its first session. Uses up the code and every other code of the address.
    /// - Parameter needsInvitation: whether registration is not open to everybody any more.
    func confirmRegistration(
        _ hash: String, as id: String, _ session: NewSession, needsInvitation: Bool, at now: Timestamp
    ) async throws -> RegistrationConfirmation {
        try await database.write { tx in
            // Deleting the row uses up the code: of two concurrent requests only one finds it.
            guard let form = try tx.row(Self.useRegistration(hash, now)).map(Self.form) else { return .refused }
            if needsInvitation, form.invitation == nil { return .notOpen }
            try tx.run(Self.deleteRegistrations(of: form.email))
            let new = NewAccount(
                id: id, email: form.email, name: form.name, passwordHash: form.passwordHash, isAdmin: false, createdAt: now,
                timeZone: form.timeZone)
            guard let invitation = form.invitation else {
                guard try tx.row(Self.insertAccount(new)) != nil else { return .emailTaken }
                try Self.insert(session, tx)
                return .made(new.account)
            }
            return switch try Self.register(new, session, with: invitation, tx) {
            case .made(let account): .made(account)
            case .emailTaken: .emailTaken
            case .refused(let verdict): .uninvited(verdict)
            }
        }
    }

    func sweepRegistrations(at now: Timestamp) async throws {
        try await sweep { limit, tx in try tx.run(Self.deleteRegistrations(expiredBefore: now, limit: limit)) }
    }

    // MARK: Statements

    static func insertRegistration(_ new: NewCode, _ form: RegistrationForm, askedBy party: String?) -> SQL {
        """
        INSERT INTO registration (
            id, hash, email, name, password_hash, invitation, invitation_email, created_at, expires_at, time_zone, party)
        VALUES (
            \(new.id), \(new.hash), \(form.email), \(form.name), \(form.passwordHash.exposed), \(form.invitation?.hash),
            \(form.invitation?.emailHash), \(new.createdAt), \(new.expiresAt), \(form.timeZone), \(party))
        """
    }

    /// Counts the valid codes of the address: `n` from all networks, `own` from this one. Each is at most `RegistrationRules.addressLimit`.
    static func liveRegistrations(of email: String, askedBy party: String?, _ now: Timestamp) -> SQL {
        """
        SELECT COUNT(*) AS n, COUNT(CASE WHEN party IS NOT DISTINCT FROM \(party) THEN 1 END) AS own
        FROM registration WHERE email = \(email) AND expires_at > \(now)
        """
    }

    /// The newest registration from any network.
    static func newestRegistration(of email: String, _ now: Timestamp) -> SQL { waiting(of: email, now) + newestFirst }

    static func newestRegistration(of email: String, askedBy party: String?, _ now: Timestamp) -> SQL {
        waiting(of: email, now) + " AND party IS NOT DISTINCT FROM \(party)" + newestFirst
    }

    private static func waiting(of email: String, _ now: Timestamp) -> SQL {
        """
        SELECT email, name, password_hash, invitation, invitation_email, time_zone FROM registration
        WHERE email = \(email) AND expires_at > \(now)
        """
    }

    private static let newestFirst: SQL = " ORDER BY created_at DESC, id DESC LIMIT 1"

    static func registration(_ id: String, _ now: Timestamp) -> SQL {
        "SELECT email, expires_at FROM registration WHERE id = \(id) AND expires_at > \(now)"
    }

    static func registration(hash: String, _ now: Timestamp) -> SQL {
        "SELECT password_hash FROM registration WHERE hash = \(hash) AND expires_at > \(now)"
    }

    static func useRegistration(_ hash: String, _ now: Timestamp) -> SQL {
        """
        DELETE FROM registration WHERE hash = \(hash) AND expires_at > \(now)
        RETURNING email, name, password_hash, invitation, invitation_email, time_zone
        """
    }

    static func deleteRegistrations(of email: String) -> SQL { "DELETE FROM registration WHERE email = \(email)" }

    static func deleteRegistrations(expiredBefore end: Timestamp, limit: Int) -> SQL {
        "DELETE FROM registration WHERE id IN (SELECT id FROM registration WHERE expires_at < \(end) LIMIT \(limit))"
    }
}
