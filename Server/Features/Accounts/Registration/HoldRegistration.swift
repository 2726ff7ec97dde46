internal import Core
internal import Jobs
internal import KeepsakeWire
internal import Web

/// Stores a registration until the user enters its code, and mails the code.
struct HoldRegistration: Sendable {
    let store: AccountStore
    let codes: MailedCodes
    let queue: JobQueue

    /// Does the same whether or not the address has an account.
    /// - Throws: `.tooManyRequests` when the same network has requested five codes for the address within an hour, or all networks have
    ///   requested 20.
    func callAsFunction(_ form: RegistrationForm) async throws {
        let (new, _) = try await codes.new(lifetime: RegistrationRules.lifetime)
        let party = MailTurns.party(Requester.current.network)
        guard try await store.hold(new, form, askedBy: party, queue) else { throw EmailRules.tooMany }
    }
}

/// `POST /auth/password/register/resend`
struct ResendConfirmation: Sendable {
    let store: AccountStore
    let queue: JobQueue
    let isOn: Bool

    /// The response and its time are the same whether or not a registration waits for its code.
    /// - Throws: `.forbidden` when registrations need no confirmation; `.invalid` naming `email`; `.tooManyRequests`.
    func handle(_ input: ResendConfirmationInput, _ context: WebContext) async throws -> Empty {
        let email = try AccountRules.email(input.email)
        guard isOn else { throw RegistrationRules.off }
        try await context.count(.registering, of: email)
        let party = MailTurns.party(context.requester.network)
        try await store.askForConfirmation(FindRegistration(email: email), askedBy: party, queue)
        return Empty()
    }
}
