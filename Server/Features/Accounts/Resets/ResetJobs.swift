internal import Core
internal import Jobs

struct ResetJobs: Sendable {
    let store: AccountStore
    let queue: JobQueue
    let mails: CodeMails
    /// See `AccountsSettings.resetLink`.
    let link: String?

    var finder: JobHandler { JobHandler(FindResetAccount.self, find) }
    var sender: JobHandler { JobHandler(SendResetMail.self, send) }

    private func find(_ run: JobRun<FindResetAccount>) async throws {
        let (reset, _) = try await mails.codes.new(lifetime: ResetRules.mailedLifetime)
        let (email, queue) = (run.payload.email, queue)
        try await run.complete { tx in try AccountStore.addReset(reset, email: email, queue, tx) }
    }

    private func send(_ run: JobRun<SendResetMail>) async throws {
        let now = mails.codes.identifiers.clock.now
        guard let mail = try await store.pendingResetMail(run.payload.reset, at: now) else { return }
        try await mails.send(mail, at: now) { ResetRules.mail($0, link: ResetRules.link(link, code: $0.code)) }
    }
}
