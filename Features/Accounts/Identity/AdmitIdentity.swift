internal import Core
internal import Crypto
internal import Database

/// Lets somebody in whom an issuer vouches for.
struct AdmitIdentity: Sendable {
    let store: AccountStore
    let identifiers: Identifiers
    let clock: WallClock
    let registration: AccountsSettings.Registration

    /// What an app says beside the token. The token's own word counts more.
    struct Hints: Sendable {
        var email: String?
        var name: String?
        var nonce: String?
        var appleToken: AppleToken?
    }

    /// The viewer of a bearer token; the account is made on first sight.
    /// - Throws: `.unauthenticated` for a token from before the account's deletion; `.forbidden` when there is no account and none may be made.
    func viewer(_ identity: VerifiedIdentity) async throws -> Viewer {
        let known = try await store.identity(identity.issuer, identity.subject)
        if let buriedAt = known.buriedAt, identity.issuedAt <= buriedAt { throw Problem.accountGone }
        // No session of ours: it ends when its issuer says.
        if let account = known.account { return Viewer(accountID: account.id, sessionID: nil, isAdmin: account.isAdmin) }
        let account = try await self(identity, Hints())
        return Viewer(accountID: account.id, sessionID: nil, isAdmin: account.isAdmin)
    }

    func callAsFunction(_ identity: VerifiedIdentity, _ hints: Hints) async throws -> Account {
        let arrival = arrival(identity, hints)
        let admission: AccountStore.Admission
        do {
            admission = try await store.admit(arrival)
        } catch DatabaseError.uniqueViolation {
            // Another account took the e-mail address in the same moment; now that is seen.
            admission = try await store.admit(arrival)
        }
        switch admission {
        case .admitted(let account): return account
        case .buried: throw Problem.accountGone
        case .replayed: throw Problem.nonceUsed
        case .unknown:
            throw Problem(.forbidden, registration == .closed ? "Registration is closed here." : "Registration is by invitation here.")
        }
    }

    /// - Throws: `.conflict` when the identity is another account's, or the account has too many.
    func link(_ identity: VerifiedIdentity, _ hints: Hints, to viewer: Viewer) async throws -> [LinkedIdentity] {
        switch try await store.link(arrival(identity, hints), to: viewer.accountID) {
        case .linked(let identities): return identities
        case .buried, .accountGone: throw Problem.accountGone
        case .replayed: throw Problem.nonceUsed
        case .taken: throw Problem(.conflict, "This identity belongs to another account.")
        case .tooMany: throw Problem(.conflict, "An account can have \(IdentityRules.maxIdentityCount) identities, and this one has.")
        }
    }

    private func arrival(_ identity: VerifiedIdentity, _ hints: Hints) -> Arrival {
        let own = identifiers.next()
        // Firebase's client compares its user's id with ours.
        let ids = identity.kind == .firebase ? [identity.subject, own] : [own]
        let nonce = hints.nonce.map { raw in
            (
                hash: Base64URL.encode(SHA256.hash(data: Array("\(identity.issuer.utf8.count) \(identity.issuer) \(raw)".utf8))),
                until: identity.expiresAt + IdentityRules.leeway
            )
        }
        return Arrival(
            issuer: identity.issuer, subject: identity.subject, issuedAt: identity.issuedAt, nonce: nonce,
            email: identity.email ?? hints.email,
            accountEmail: identity.email.map { identity.isEmailVerified ? $0 : nil } ?? hints.email, name: identity.name ?? hints.name,
            accountIDs: ids, appleToken: hints.appleToken, mayRegister: registration == .open, at: clock.now)
    }
}

extension Problem {
    static let nonceUsed = Problem(.unauthenticated, "This sign-in has been used already. Sign in again.")
}
