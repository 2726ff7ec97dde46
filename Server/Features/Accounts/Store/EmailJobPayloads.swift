internal import Core
internal import Jobs

/// Sends the mail about a requested change to the new address. The payload contains neither the address nor the code.
struct SendEmailCode: Job {
    static let kind = "accounts/send-email-code"
    static let policy = SendResetMail.policy
    let change: String
}

/// Tells the old address that the account has a new one.
struct NotifyOldAddress: Job {
    static let kind = "accounts/tell-old-address"
    static let policy = NotifyOwner.policy
    /// The message id of the mail, so that a retry sends the same mail.
    let id: String
    /// The old address. The account's row no longer has it.
    let email: String
    let at: Timestamp
}
