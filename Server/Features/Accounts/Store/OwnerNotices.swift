internal import Core
internal import Database
internal import Jobs

/// A mail to an account's owner about a change to who may sign in.
struct NotifyOwner: Job {
    static let kind = "accounts/tell-owner"
    /// The job is not urgent: nobody waits for a notice, as people do for a code.
    static let policy = JobPolicy(attempts: 10, firstBackoff: .seconds(30), longestBackoff: .minutes(12), timeout: .minutes(4))

    enum Change: String, Codable, Sendable {
        case identityLinked, identityRemoved, passwordSet
    }

    /// The message id of the mail, so that a retry sends the same mail.
    let id: String
    let account: String
    let change: Change
    /// The display names of the identities that the mail lists.
    let identities: [String]
    /// For a new password: whether those identities still sign in.
    let areKept: Bool
    /// For a new password: whether the session that set it did not end. Absent in jobs of the first release.
    var keepsSession: Bool?
    /// For a new password: the display names of all identities that sign in from now on. Absent in jobs of earlier releases.
    var left: [String]?
    /// For a new password: what else was revoked, for example "The link of your calendar". Absent in jobs of earlier releases.
    var revoked: [String]?
    let at: Timestamp
}

/// Enqueues mails to an account's owner in the transaction of the change.
struct OwnerNotices: Sendable {
    /// `nil` when no mail is sent.
    let queue: JobQueue?
    let identifiers: Identifiers

    /// The changes about which an owner is notified.
    enum Change {
        case identityLinked([LinkedIdentity])
        case identityRemoved(LinkedIdentity)
        case passwordSet(NewPassword)
    }

    struct NewPassword {
        /// The identities that were linked recently.
        let recent: [LinkedIdentity]
        /// Whether the `recent` identities still sign in.
        let areKept: Bool
        /// Whether the session that set the password did not end.
        let keepsSession: Bool
        /// All identities with which somebody can still sign in to the account.
        let left: [LinkedIdentity]
        /// What else was revoked, for example "The link of your calendar".
        let revoked: [String]
    }

    func notify(_ change: Change, _ account: String, at now: Timestamp, _ tx: WriteTransaction) throws {
        guard let queue else { return }
        let email: String? = try tx.row(Self.email(of: account))?.get("email", as: String?.self)
        let (kind, identities, password): (NotifyOwner.Change, [LinkedIdentity], NewPassword?) =
            switch change {
            case .identityLinked(let linked): (.identityLinked, linked, nil)
            case .identityRemoved(let removed): (.identityRemoved, [removed], nil)
            case .passwordSet(let new): (.passwordSet, new.recent, new)
            }
        try queue.enqueue(
            NotifyOwner(
                id: identifiers.next(), account: account, change: kind, identities: identities.map(Self.name),
                areKept: password?.areKept ?? false, keepsSession: password?.keepsSession ?? false,
                left: (password?.left ?? []).map(Self.name), revoked: password?.revoked ?? [], at: now),
            owner: account, turn: email.map(Self.turn), tx)
    }

    private static func turn(_ email: String) -> JobTurnKey { JobTurnKey(target: MailTurns.target(email)) }

    private static func email(of account: String) -> SQL { "SELECT email FROM account WHERE id = \(account)" }

    private static func name(_ identity: LinkedIdentity) -> String { "\(identity.issuer) (\(identity.email ?? identity.subject))" }

    /// Tells the old address that the account has another address from now on.
    func notifyOldAddress(_ email: String, of account: String, at now: Timestamp, _ tx: WriteTransaction) throws {
        try queue?.enqueue(
            NotifyOldAddress(id: identifiers.next(), email: email, at: now), owner: account, turn: Self.turn(email), tx)
    }
}
