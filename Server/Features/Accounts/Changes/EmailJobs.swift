internal import Core
internal import Jobs
internal import Mail

/// Derives the code of a change from its id and a secret of the server, as `ResetCodes` does.
struct EmailCodes: Sendable {
    let secrets: ServerSecrets
    let identifiers: Identifiers

    func code(_ change: String) async throws -> OneTimeCode {
        let seal = Seal(key: try await secrets.secret("email-change").exposed)
        return OneTimeCode(bytes: seal.derive([change], purpose: "email change code"))
    }

    func new(account: String, email: String) async throws -> NewEmailChange {
        let id = identifiers.next()
        let now = identifiers.clock.now
        return NewEmailChange(
            id: id, hash: try await code(id).hash, account: account, email: email, createdAt: now, expiresAt: now + EmailRules.lifetime)
    }
}

struct EmailJobs: Sendable {
    let store: AccountStore
    let codes: EmailCodes
    /// `nil` sends nothing.
    let mailer: SMTPClient?
    /// The server's public URL, which the mails name.
    let place: @Sendable () -> String

    var handlers: [JobHandler] {
        [JobHandler(SendEmailCode.self, sendCode), JobHandler(NotifyOldAddress.self, notify)]
    }

    private func sendCode(_ run: JobRun<SendEmailCode>) async throws {
        let now = codes.identifiers.clock.now
        guard let letter = try await store.emailLetter(run.payload.change, at: now) else { return }
        let code = try await codes.code(run.payload.change)
        try await send(to: letter.email) { from, to in
            try letter.isTaken
                ? EmailRules.takenMail(from: from, to: to, place: place(), id: run.payload.change, at: now)
                : EmailRules.mail(
                    from: from, to: to, code: code, place: place(), id: run.payload.change, at: now, expiresAt: letter.expiresAt)
        }
    }

    private func notify(_ run: JobRun<NotifyOldAddress>) async throws {
        let notice = run.payload
        try await send(to: notice.email) { from, to in
            try EmailRules.notice(from: from, to: to, place: place(), id: notice.id, at: notice.at)
        }
    }

    private func send(to email: String, _ message: (MailSender, MailAddress) throws -> MailMessage) async throws {
        guard let mailer else { throw JobFailure.permanent("no mail server is configured; set KEEPSAKE_SMTP") }
        guard let address = MailAddress(email) else {
            throw JobFailure.permanent("the server cannot send mail to an e-mail address of this form")
        }
        do {
            try await mailer.send(try message(mailer.settings.from, address))
        } catch SMTPFailure.permanent(let reason) {
            throw JobFailure.permanent(reason)
        }
    }
}
