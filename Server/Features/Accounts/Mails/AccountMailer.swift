internal import Core
internal import Jobs
internal import Mail

/// Sends the mails about accounts. Only jobs call it, so that a slow or unreachable mail server delays no request.
struct AccountMailer: Sendable {
    /// `nil` when no mail server is configured.
    let client: SMTPClient?
    /// The server's public URL. Every mail contains it, for users with accounts on several servers.
    let place: @Sendable () -> String

    /// - Parameters:
    ///   - id: the message id. A retry of the job passes the same one, so that mail clients can recognise a mail that arrives twice.
    ///   - text: makes the mail's text; gets the server's public URL.
    /// - Throws: `JobFailure.permanent` when no mail server is configured, or the mail server will never accept the mail.
    func send(to email: String, id: String, at date: Timestamp, _ text: (_ place: String) -> MailText) async throws {
        guard let client else { throw JobFailure.permanent("no mail server is configured; set KEEPSAKE_SMTP") }
        guard let address = MailAddress(email) else {
            throw JobFailure.permanent("the server cannot send mail to an e-mail address of this form")
        }
        let mail = text(place())
        do {
            try await client.send(
                try MailMessage(
                    from: client.settings.from, to: address, subject: mail.subject, text: mail.text + "\n", date: date, id: id))
        } catch SMTPFailure.permanent(let reason) {
            throw JobFailure.permanent(reason)
        }
    }
}
