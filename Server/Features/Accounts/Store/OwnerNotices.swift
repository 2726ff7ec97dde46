internal import Core
internal import Database
internal import Jobs

/// A mail to an account's owner about a change to who may sign in.
struct NotifyOwner: Job {
    static let kind = "accounts/tell-owner"
    static let policy = SendResetMail.policy

    enum Change: String, Codable, Sendable {
        case identityLinked, identityRemoved, passwordSet
    }

    /// Names the mail, so that a second attempt sends the same one.
    let id: String
    let account: String
    let change: Change
    /// As people read them.
    let identities: [String]
    /// With a new password: those identities sign in still.
    let areKept: Bool
    let at: Timestamp
}

/// Puts in those mails, in the transaction of the change.
struct OwnerNotices: Sendable {
    /// `nil` where no mail is sent.
    let queue: JobQueue?
    let identifiers: Identifiers

    func tell(
        _ change: NotifyOwner.Change, _ account: String, _ identities: [LinkedIdentity], areKept: Bool = false, at now: Timestamp,
        _ tx: WriteTransaction
    ) throws {
        let names = identities.map { "\($0.issuer) (\($0.email ?? $0.subject))" }
        try queue?.enqueue(
            NotifyOwner(id: identifiers.next(), account: account, change: change, identities: names, areKept: areKept, at: now),
            owner: account, tx)
    }
}
