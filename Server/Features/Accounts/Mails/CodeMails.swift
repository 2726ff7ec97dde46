internal import Core

/// Sends codes by mail.
struct CodeMails: Sendable {
    let codes: MailedCodes
    let mailer: AccountMailer

    /// A retry after a lost response sends the same mail under the same message id.
    /// - Throws: as `AccountMailer.send`.
    func send(_ mail: PendingCodeMail, at now: Timestamp, _ text: (CodeMail) -> MailText) async throws {
        let code = try await codes.code(mail.id)
        let minutes = max(1, (mail.expiresAt - now).components.seconds / 60)
        try await mailer.send(to: mail.email, id: mail.id, at: now) { place in
            text(CodeMail(code: code, place: place, minutes: minutes, isTaken: mail.isTaken))
        }
    }
}
