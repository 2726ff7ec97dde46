internal import Core
internal import KeepsakeWire
internal import Web

/// `POST /auth/password/login`
struct LogInWithPassword: Sendable {
    let store: AccountStore
    let hasher: PasswordHasher
    let tokens: TokenPairs
    let devices: KnownDevices

    func handle(_ input: LoginInput, _ context: WebContext) async throws -> SignedIn {
        let name = try AccountRules.email(input.email)
        try await context.count(.signingIn, of: name)
        return try await self(input, SignInAttempt(as: name, context))
    }

    /// - Throws: `.invalid` for a malformed e-mail address or password; `.unauthenticated`, after the same time and with the same message,
    ///   for an unknown e-mail address, an account without a password, and a wrong password; `.suspended`, only with the right password;
    ///   what `attempt.count` throws.
    func callAsFunction(_ input: LoginInput, _ attempt: SignInAttempt = SignInAttempt()) async throws -> SignedIn {
        let wrong = Problem(.unauthenticated, "The e-mail address or the password is wrong.")
        let email = try AccountRules.email(input.email)
        let password = try AccountRules.presentedPassword(input.password)
        let found = try await store.credential(email: email)
        let owner = found.map { KnownDevices.Owner(account: $0.account.id, passwordSetAt: $0.passwordSetAt) } ?? .nobody
        let device = try await devices.recognise(attempt.device, of: owner)
        try await attempt.count(device)
        let hash = found?.passwordHash.flatMap(PasswordHash.init(stored:))
        guard try await hasher.matches(password, hash), let account = found?.account, let hash else { throw wrong }
        try account.requireActive()
        var proved = hash.stored
        // Only a sign-in has the plain password, so this is where a hash of an outdated cost is replaced.
        if hasher.isOutdated(hash) {
            let new = try await hasher.hash(password).stored
            try await store.replacePasswordHash(account.id, proved, by: new)
            proved = new
        }
        let (session, token) = try await tokens.prepare(account: account.id, from: SessionOrigin(.password, userAgent: attempt.userAgent))
        let known = try await devices.text(device, of: owner)
        // `openSession` returns `false` when the account was deleted, or its password changed, since the hash was read: the old password
        // must not open a session.
        guard try await store.openSession(session, ifPasswordIs: proved) else { throw wrong }
        attempt.remember(known)
        return SignedIn(user: account.user, token: token)
    }
}
