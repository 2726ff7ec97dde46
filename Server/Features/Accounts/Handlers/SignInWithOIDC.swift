internal import Core
internal import KeepsakeWire
internal import Web

/// `POST /auth/oidc`
struct SignInWithOIDC: Sendable {
    let proof: VerifyIdentity
    let admit: AdmitIdentity
    let store: AccountStore
    let tokens: TokenPairs

    /// - Throws: as `SignInWithApple`.
    func handle(_ input: OIDCInput, _ context: WebContext) async throws -> SignedIn {
        let (identity, hints) = try await proof.oidc(input)
        return try await tokens.signIn(
            try await admit(identity, hints), SessionOrigin(identity.kind, userAgent: context.userAgent), by: identity, store)
    }
}
