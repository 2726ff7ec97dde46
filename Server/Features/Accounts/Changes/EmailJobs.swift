internal import Core
internal import Jobs

struct EmailJobs: Sendable {
    let store: AccountStore
    let mails: CodeMails

    var handlers: [JobHandler] {
        [JobHandler(SendEmailCode.self, sendCode), JobHandler(NotifyOldAddress.self, notify)]
    }

    private func sendCode(_ run: JobRun<SendEmailCode>) async throws {
        let now = mails.codes.identifiers.clock.now
        guard let mail = try await store.pendingEmailChangeMail(run.payload.change, at: now) else { return }
        try await mails.send(mail, at: now, EmailRules.mail)
    }

    private func notify(_ run: JobRun<NotifyOldAddress>) async throws {
        let notice = run.payload
        try await mails.mailer.send(to: notice.email, id: notice.id, at: notice.at, EmailRules.notice)
    }
}
