internal import Core
internal import Crypto
internal import Database
internal import Logging
internal import Web

/// Finds or creates the account of a verified identity.
struct AdmitIdentity: Sendable {
    let store: AccountStore
    let identifiers: Identifiers
    let clock: WallClock
    let registration: AccountsSettings.Registration
    let logger: Logger

    /// What an app sends in addition to the token. Claims of the token take precedence.
    struct Hints: Sendable {
        var name: String?
        var nonce: String?
        var invite: String?
        var appleToken: AppleToken?
    }

    /// The viewer that a bearer token stands for. Creates the account at its first request.
    /// - Throws: `.unauthenticated` for a token from before the account's deletion; `.suspended`; `.forbidden` when there is no account and
    ///   registration does not allow one.
    func viewer(_ identity: VerifiedIdentity) async throws -> Viewer {
        let known = try await store.identity(identity.issuer, identity.subject)
        if let deletedAt = known.deletedAt, identity.issuedAt <= deletedAt { throw Problem.accountGone }
        try known.account?.requireActive()
        let account: Account
        if let found = known.account {
            account = found
            await provePhone(identity, of: account.id, known.phone)
        } else {
            account = try await self(identity, Hints())
        }
        // No session is opened: access ends when the issuer's token expires or the identity is unlinked.
        let name = IdentityName(issuer: identity.issuer, subject: identity.subject)
        // A token's issue time does not prove a fresh sign-in: issuers renew tokens without the user.
        return Viewer(
            accountID: account.id, sessionID: nil, isAdmin: account.isAdmin,
            identity: .init(id: name.id, signedInAt: identity.authenticatedAt.map { min($0, clock.now) }))
    }

    func callAsFunction(_ identity: VerifiedIdentity, _ hints: Hints) async throws -> Account {
        let signIn = try signIn(identity, hints)
        let result: AccountStore.SignInResult
        do {
            result = try await store.account(for: signIn)
        } catch DatabaseError.uniqueViolation {
            // Another account took the e-mail address in the same moment. The second attempt sees it.
            result = try await store.account(for: signIn)
        }
        switch result {
        case .account(let account): return account
        case .accountDeleted: throw Problem.accountGone
        case .suspended: throw Problem.suspended
        case .replayed: throw Problem.nonceUsed
        case .unknown: throw registration == .closed ? Problem.registrationClosed : .uninvited
        case .refused(let verdict): throw InvitationRules.problem(verdict) ?? .uninvited
        }
    }

    /// - Throws: `.conflict` when the identity is another account's, or the account has too many; `.invalid` for a nonce that was used.
    func link(
        _ identity: VerifiedIdentity, _ hints: Hints, to viewer: Viewer, _ notices: OwnerNotices
    ) async throws -> [LinkedIdentity] {
        switch try await store.link(try signIn(identity, hints), to: viewer, notices) {
        case .linked(let identities): return identities
        case .accountDeleted, .accountGone: throw Problem.accountGone
        case .signedOut: throw Problem.sessionEnded
        case .replayed: throw Problem(.invalid, Problem.nonceUsed.message, field: "nonce")
        case .taken: throw Problem(.conflict, "This identity belongs to another account.")
        case .tooMany:
            throw Problem(.conflict, "An account can have at most \(IdentityRules.maxIdentityCount) identities. Remove one first.")
        }
    }

    private func signIn(_ identity: VerifiedIdentity, _ hints: Hints) throws -> IdentitySignIn {
        var invitation: PresentedInvitation?
        if registration == .invite, let text = hints.invite {
            guard let code = OneTimeCode(presented: text) else { throw InvitationRules.problem(.unknown) ?? .uninvited }
            // An invitation for an address requires that the issuer verified that address; the app's claim does not count.
            invitation = PresentedInvitation(code, email: identity.isEmailVerified ? identity.email ?? "" : "")
        }
        let own = identifiers.next()
        // Firebase's client library compares Firebase's user id with our account id, so Firebase's id is preferred.
        let ids = identity.kind == .firebase && AccountRules.canBeID(identity.subject) ? [identity.subject, own] : [own]
        let nonce = hints.nonce.map { raw in
            (
                hash: Base64URL.encode(SHA256.hash(data: Array("\(identity.issuer.utf8.count) \(identity.issuer) \(raw)".utf8))),
                until: identity.expiresAt + IdentityRules.leeway
            )
        }
        return IdentitySignIn(
            issuer: identity.issuer, subject: identity.subject, issuedAt: identity.issuedAt, nonce: nonce,
            email: identity.email, accountEmail: identity.isEmailVerified ? identity.email : nil, name: identity.name ?? hints.name,
            accountIDs: ids, appleToken: hints.appleToken, mayRegister: registration == .open, invitation: invitation, at: clock.now,
            phone: phone(identity))
    }
}

extension Problem {
    static let nonceUsed = Problem(.unauthenticated, "This sign-in has been used already. Sign in again.")
}
