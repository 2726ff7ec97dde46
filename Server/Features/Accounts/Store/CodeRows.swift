internal import Core

/// The columns that every table of mailed codes has, for a row to insert.
struct NewCode: Sendable {
    let id: String
    /// `OneTimeCode.hash`.
    let hash: String
    let createdAt: Timestamp
    let expiresAt: Timestamp
}

/// The data for a mail with a code.
struct CodeLetter: Sendable {
    /// `NewCode.id`, also the message id of the mail.
    let id: String
    let email: String
    let expiresAt: Timestamp
    /// See `CodeMail.isTaken`.
    let isTaken: Bool
}
