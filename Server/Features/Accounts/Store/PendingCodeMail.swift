internal import Core

/// A mail with a code that a job is to send.
struct PendingCodeMail: Sendable {
    /// `NewCode.id`, also the message id of the mail.
    let id: String
    let email: String
    let expiresAt: Timestamp
    /// See `CodeMail.isTaken`.
    let isTaken: Bool
}
