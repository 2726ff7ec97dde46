internal import Core
internal import Jobs

struct RegistrationJobs: Sendable {
    let store: AccountStore
    let queue: JobQueue
    let mails: CodeMails

    var finder: JobHandler { JobHandler(FindRegistration.self, find) }
    var sender: JobHandler { JobHandler(SendRegistrationMail.self, send) }

    private func find(_ run: JobRun<FindRegistration>) async throws {
        let (new, _) = try await mails.codes.new(lifetime: RegistrationRules.lifetime)
        let (email, party, queue) = (run.payload.email, run.turn?.party, queue)
        try await run.complete { tx in try AccountStore.repeatRegistration(of: email, as: new, askedBy: party, queue, tx) }
    }

    private func send(_ run: JobRun<SendRegistrationMail>) async throws {
        let now = mails.codes.identifiers.clock.now
        guard let mail = try await store.pendingRegistrationMail(run.payload.registration, at: now) else { return }
        try await mails.send(mail, at: now, RegistrationRules.mail)
    }
}
