internal import Core
internal import Foundation
internal import KeepsakeWire
internal import Web

/// `POST /auth/apple`
struct SignInWithApple: Sendable {
    let proof: VerifyIdentity
    let admit: AdmitIdentity
    let store: AccountStore
    let tokens: TokenPairs

    /// - Throws: `.unauthenticated` unless the identity token is genuine, current and for one of our apps; `.forbidden` when there is no
    ///   account and registration does not allow one.
    func handle(_ input: AppleInput, _ context: WebContext) async throws -> SignedIn {
        let (identity, hints) = try await proof.apple(input)
        return try await tokens.signIn(
            try await admit(identity, hints), SessionOrigin(identity.kind, userAgent: context.userAgent), by: identity, store)
    }
}

extension TokenPairs {
    /// Opens a session for an account whose user has just been authenticated.
    func signIn(
        _ account: Account, _ origin: SessionOrigin, by identity: VerifiedIdentity, _ store: AccountStore
    ) async throws -> SignedIn {
        let (session, token) = try await prepare(account: account.id, from: origin, by: identity)
        // `openSession` returns `false` if, after `admit`, the account was deleted or the identity was unlinked.
        guard try await store.openSession(session) else { throw Problem.accountGone }
        return SignedIn(user: account.user, token: token)
    }
}

extension SessionOrigin {
    init(_ kind: IdentityIssuer.Kind, userAgent: String?) {
        let method: Method =
            switch kind {
            case .apple: .apple
            case .firebase: .firebase
            case .oidc: .oidc
            }
        self.init(method, userAgent: userAgent)
    }
}
