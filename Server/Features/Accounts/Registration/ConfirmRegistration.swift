internal import Core
internal import KeepsakeWire
internal import Web

/// `POST /auth/password/register/confirm`
struct ConfirmRegistration: Sendable {
    let store: AccountStore
    let hasher: PasswordHasher
    let tokens: TokenPairs
    let devices: KnownDevices
    let registration: AccountsSettings.Registration
    let isOn: Bool

    /// Creates the account and signs in. It requires the password as well as the code: if an attacker registers somebody's address, and the
    /// owner of the address enters the mailed code, the account would otherwise have the attacker's password.
    /// - Throws: `.forbidden` when registrations need no confirmation, when registration is no longer open and this one came without an
    ///   invitation, or when its invitation is no longer valid; `.invalid` naming `code`, with the same message for an unknown, used or
    ///   expired code and for a wrong password; `.conflict` when the address has an account.
    func handle(_ input: ConfirmRegistrationInput, _ context: WebContext) async throws -> SignedIn {
        guard isOn else { throw RegistrationRules.off }
        let password = try AccountRules.presentedPassword(input.password)
        let now = tokens.clock.now
        // Check the code before the expensive hash, so that a guessed code costs one row read.
        guard let code = OneTimeCode(presented: input.code), let stored = try await store.registrationPassword(code.hash, at: now),
            let hash = PasswordHash(stored: Secret(stored)), try await hasher.matches(password, hash)
        else { throw EmailRules.refused }
        let id = tokens.identifiers.next()
        let (session, token) = try await tokens.prepare(account: id, from: SessionOrigin(.password, userAgent: context.userAgent))
        let device = try await devices.text(nil, of: .init(account: id, passwordSetAt: now))
        switch try await store.confirmRegistration(code.hash, as: id, session, needsInvitation: registration != .open, at: now) {
        case .made(let account):
            context.setDevice(device)
            return SignedIn(user: account.user, token: token)
        case .emailTaken: throw EmailRules.taken
        case .refused: throw EmailRules.refused
        case .notOpen: throw registration == .closed ? Problem.registrationClosed : .uninvited
        case .uninvited(let verdict): throw InvitationRules.problem(verdict) ?? EmailRules.refused
        }
    }
}
