internal import Core
internal import Jobs
internal import KeepsakeWire

/// `POST /auth/password/forgot`
struct ForgetPassword: Sendable {
    let store: AccountStore
    let queue: JobQueue
    /// Whether there is a mail server to write by.
    let canMail: Bool

    /// One and the same answer and one and the same work, whether there is such an account or not.
    /// - Throws: `.forbidden` where no mail is sent; `.invalid` naming `email`.
    func callAsFunction(_ input: ForgotPasswordInput) async throws -> Empty {
        guard canMail else { throw Problem(.forbidden, "No mail is sent from here. Ask whoever runs this server for a code.") }
        try await store.askForReset(FindResetAccount(email: try AccountRules.email(input.email)), queue)
        return Empty()
    }
}
