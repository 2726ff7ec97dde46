internal import Core
internal import Wire

/// `POST /auth/password/register`
struct RegisterWithPassword: Sendable {
    let store: AccountStore
    let hasher: PasswordHasher
    let tokens: TokenPairs
    let registration: AccountsSettings.Registration

    /// - Throws: `.forbidden` where not everybody may register; `.invalid`; `.conflict` when the e-mail address has an account already.
    func callAsFunction(_ input: RegisterInput) async throws -> SignedIn {
        switch registration {
        case .open: break
        case .invite: throw Problem(.forbidden, "Registration is by invitation here.")
        case .closed: throw Problem(.forbidden, "Registration is closed here.")
        }
        let email = try AccountRules.email(input.email)
        let password = try AccountRules.newPassword(input.password)
        let name = try AccountRules.name(input.name)
        let hash = try await hasher.hash(password)
        let id = tokens.identifiers.next()
        let (session, token) = try await tokens.prepare(account: id)
        let new = AccountStore.NewAccount(
            id: id, email: email, name: name, passwordHash: hash.stored, isAdmin: false, createdAt: tokens.clock.now)
        guard let account = try await store.register(new, session) else {
            throw Problem(.conflict, "An account with this e-mail address exists already.", field: "email")
        }
        return SignedIn(user: account.user, token: token)
    }
}
