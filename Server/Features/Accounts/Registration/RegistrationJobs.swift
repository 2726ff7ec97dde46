internal import Core
internal import Jobs
internal import Mail

/// Derives the code of a registration from its id and a secret of the server, as `ResetCodes` does.
struct RegistrationCodes: Sendable {
    let secrets: ServerSecrets
    let identifiers: Identifiers

    func code(_ registration: String) async throws -> OneTimeCode {
        let seal = Seal(key: try await secrets.secret("registration").exposed)
        return OneTimeCode(bytes: seal.derive([registration], purpose: "registration code"))
    }

    func new() async throws -> NewRegistration {
        let id = identifiers.next()
        let now = identifiers.clock.now
        return NewRegistration(id: id, hash: try await code(id).hash, createdAt: now, expiresAt: now + RegistrationRules.lifetime)
    }
}

struct RegistrationJobs: Sendable {
    let store: AccountStore
    let codes: RegistrationCodes
    let queue: JobQueue
    /// `nil` sends nothing.
    let mailer: SMTPClient?
    /// The server's public URL, which the mails name.
    let place: @Sendable () -> String

    var handlers: [JobHandler] {
        [JobHandler(FindRegistration.self, find), JobHandler(SendRegistrationMail.self, send)]
    }

    private func find(_ run: JobRun<FindRegistration>) async throws {
        let (new, email, queue) = (try await codes.new(), run.payload.email, queue)
        try await run.complete { tx in try AccountStore.repeatRegistration(of: email, as: new, queue, tx) }
    }

    private func send(_ run: JobRun<SendRegistrationMail>) async throws {
        let id = run.payload.registration
        let now = codes.identifiers.clock.now
        guard let letter = try await store.registrationLetter(id, at: now) else { return }
        guard let mailer else { throw JobFailure.permanent("no mail server is configured; set KEEPSAKE_SMTP") }
        guard let address = MailAddress(letter.email) else {
            throw JobFailure.permanent("the server cannot send mail to an e-mail address of this form")
        }
        let code = try await codes.code(id)
        let from = mailer.settings.from
        do {
            let message =
                try letter.isTaken
                ? RegistrationRules.takenMail(from: from, to: address, place: place(), id: id, at: now)
                : RegistrationRules.mail(
                    from: from, to: address, code: code, place: place(), id: id, at: now, expiresAt: letter.expiresAt)
            try await mailer.send(message)
        } catch SMTPFailure.permanent(let reason) {
            throw JobFailure.permanent(reason)
        }
    }
}
