internal import Core
internal import KeepsakeWire
internal import Web

/// `POST /auth/password/register`
struct RegisterWithPassword: Sendable {
    let store: AccountStore
    let hasher: PasswordHasher
    let tokens: TokenPairs
    let devices: KnownDevices
    let registration: AccountsSettings.Registration
    /// Stores the registration, and mails the code that confirms it. If it is `nil`, accounts are created at once.
    let hold: HoldRegistration?

    func handle(_ input: RegisterInput, _ context: WebContext) async throws -> SignedIn {
        let name = try AccountRules.email(input.email)
        try await context.count(.registering, of: name)
        return try await self(input, SignInAttempt(as: name, context))
    }

    /// If registration needs an invitation, a retry with the same code, address and password signs in, because the first response may have
    /// been lost.
    /// - Throws: `.forbidden` when registration is closed or needs a valid invitation (then naming `invite`); `.invalid`; `.conflict` when
    ///   the e-mail address already has an account; `Problem.confirmEmail`, the same for every address, when a code was mailed.
    func callAsFunction(_ input: RegisterInput, _ attempt: SignInAttempt = SignInAttempt()) async throws -> SignedIn {
        if registration == .closed { throw Problem.registrationClosed }
        let email = try AccountRules.email(input.email)
        let password = try AccountRules.newPassword(input.password)
        let name = try AccountRules.name(input.name)
        let timeZone = try input.timeZone.map(AccountRules.timeZone)
        let origin = SessionOrigin(.password, userAgent: attempt.userAgent)
        let invitation = try registration == .invite ? Self.invitation(input, email) : nil
        if let invitation {
            // The invitation is checked before the password is hashed, which is expensive: a request without a valid invitation costs one
            // row read.
            switch try await store.judge(invitation, at: tokens.clock.now) {
            case .good: break
            case .used(let account): return try await signInAgain(account, email, password, origin, attempt)
            case let verdict: throw InvitationRules.problem(verdict) ?? .uninvited
            }
        }
        let hash = try await hasher.hash(password)
        if let hold {
            try await hold(
                RegistrationForm(email: email, name: name, passwordHash: hash.stored, invitation: invitation, timeZone: timeZone))
            throw Problem.confirmEmail
        }
        let id = tokens.identifiers.next()
        let (session, token) = try await tokens.prepare(account: id, from: origin)
        let new = AccountStore.NewAccount(
            id: id, email: email, name: name, passwordHash: hash.stored, isAdmin: false, createdAt: tokens.clock.now, timeZone: timeZone)
        let device = try await devices.text(nil, of: .init(account: id, passwordSetAt: new.createdAt))
        guard let invitation else {
            guard let account = try await store.register(new, session) else { throw EmailRules.taken }
            attempt.remember(device)
            return SignedIn(user: account.user, token: token)
        }
        switch try await store.register(new, session, with: invitation) {
        case .made(let account):
            attempt.remember(device)
            return SignedIn(user: account.user, token: token)
        case .emailTaken: throw EmailRules.taken
        // Another request has used the invitation at the same time, or this one is a retry.
        case .refused(.used(let account)): return try await signInAgain(account, email, password, origin, attempt)
        case .refused(let verdict): throw InvitationRules.problem(verdict) ?? .uninvited
        }
    }

    private static func invitation(_ input: RegisterInput, _ email: String) throws -> PresentedInvitation {
        guard let text = input.invite, !text.allSatisfy(\.isWhitespace) else { throw Problem.uninvited }
        guard let code = OneTimeCode(presented: text) else { throw InvitationRules.problem(.unknown) ?? .uninvited }
        return PresentedInvitation(code, email: email)
    }

    /// Signs in to the account that used the invitation. This is a sign-in like any other, and counts against the same rate limit.
    private func signInAgain(
        _ accountID: String, _ email: String, _ password: Secret<[UInt8]>, _ origin: SessionOrigin, _ attempt: SignInAttempt
    ) async throws -> SignedIn {
        let used = InvitationRules.problem(.used(account: accountID)) ?? .uninvited
        let found = try await store.credential(email: email)
        let owner = found.map { KnownDevices.Owner(account: $0.account.id, passwordSetAt: $0.passwordSetAt) } ?? .nobody
        let device = try await devices.recognise(attempt.device, of: owner)
        try await attempt.count(device)
        let hash = found?.account.id == accountID ? found?.passwordHash.flatMap(PasswordHash.init(stored:)) : nil
        guard try await hasher.matches(password, hash), let account = found?.account, let hash else { throw used }
        try account.requireActive()
        let (session, token) = try await tokens.prepare(account: account.id, from: origin)
        guard try await store.openSession(session, ifPasswordIs: hash.stored) else { throw used }
        attempt.remember(try await devices.text(device, of: owner))
        return SignedIn(user: account.user, token: token)
    }
}

extension Problem {
    static let registrationClosed = Problem(.forbidden, "Registration is closed on this server. Ask its operator for an account.")
    static let uninvited = Problem(
        .forbidden, "Registration requires an invitation. Send its code as invite.", field: "invite")
}
