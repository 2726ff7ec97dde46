internal import Core
internal import Jobs
internal import KeepsakeWire
internal import Web

/// `POST /auth/password/forgot`
struct ForgetPassword: Sendable {
    let store: AccountStore
    let queue: JobQueue
    /// Whether a mail server is configured.
    let canMail: Bool

    /// The response and its time are the same whether or not the account exists.
    /// - Throws: `.forbidden` when no mail server is configured; `.invalid` naming `email`; `.tooManyRequests`.
    func handle(_ input: ForgotPasswordInput, _ context: WebContext) async throws -> Empty {
        let email = try AccountRules.email(input.email)
        try await context.count(.forgetting, of: email)
        guard canMail else { throw Problem(.forbidden, "This server sends no mail. Ask its operator for a code.") }
        try await store.askForReset(FindResetAccount(email: email), askedBy: MailTurns.party(context.requester.network), queue)
        return Empty()
    }
}
