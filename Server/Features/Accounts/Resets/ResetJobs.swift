internal import Core
internal import Jobs
internal import Mail

/// Derives the code of a reset from its id and a secret of the server.
struct ResetCodes: Sendable {
    let secrets: ServerSecrets

    func code(_ reset: String) async throws -> OneTimeCode {
        let seal = Seal(key: try await secrets.secret("password-reset").exposed)
        return OneTimeCode(bytes: seal.derive([reset], purpose: "password reset code"))
    }

    func new(_ identifiers: Identifiers, lifetime: Duration) async throws -> (reset: NewReset, code: OneTimeCode) {
        let id = identifiers.next()
        let code = try await code(id)
        let now = identifiers.clock.now
        return (NewReset(id: id, hash: code.hash, createdAt: now, expiresAt: now + lifetime), code)
    }
}

struct ResetJobs: Sendable {
    let store: AccountStore
    let codes: ResetCodes
    let identifiers: Identifiers
    /// `nil` sends nothing.
    let mailer: SMTPClient?
    /// See `AccountsSettings.resetLink`.
    let link: String?
    /// The server's public URL, which the mail names.
    let place: @Sendable () -> String

    var handlers: [JobHandler] {
        [JobHandler(FindResetAccount.self, find), JobHandler(SendResetMail.self, send)]
    }

    private var queue: JobQueue { JobQueue(clock: identifiers.clock, identifiers: identifiers) }

    private func find(_ run: JobRun<FindResetAccount>) async throws {
        let (reset, _) = try await codes.new(identifiers, lifetime: ResetRules.mailedLifetime)
        let (email, queue) = (run.payload.email, queue)
        try await run.complete { tx in try AccountStore.addReset(reset, email: email, queue, tx) }
    }

    /// A retry after a lost response sends the same mail under the same message id.
    private func send(_ run: JobRun<SendResetMail>) async throws {
        let now = identifiers.clock.now
        guard let letter = try await store.resetLetter(run.payload.reset, at: now) else { return }
        guard let mailer else { throw JobFailure.permanent("no mail server is configured; set KEEPSAKE_SMTP") }
        guard let address = MailAddress(letter.email) else {
            throw JobFailure.permanent("the server cannot send mail to an e-mail address of this form")
        }
        let code = try await codes.code(run.payload.reset)
        do {
            let message = try ResetRules.mail(
                from: mailer.settings.from, to: address, code: code, link: ResetRules.link(link, code: code), place: place(),
                id: run.payload.reset, at: now, expiresAt: letter.expiresAt)
            try await mailer.send(message)
        } catch SMTPFailure.permanent(let reason) {
            throw JobFailure.permanent(reason)
        }
    }
}
