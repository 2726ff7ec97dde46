struct MailText: Sendable {
    /// One line of at most 200 bytes.
    let subject: String
    let text: String
}

/// What the text of a mail with a code needs.
struct CodeMail: Sendable {
    let code: OneTimeCode
    /// The server's public URL.
    let place: String
    /// Minutes until the code expires, at least 1.
    let minutes: Int64
    /// Whether another account has the address. The mail then says so, and contains no code.
    let isTaken: Bool
}
