internal import Core
internal import KeepsakeWire
internal import Web

/// `POST /auth/link`: adds another way to sign in to the caller's account.
struct LinkIdentity: Sendable {
    let proof: VerifyIdentity
    let admit: AdmitIdentity
    let fresh: FreshSignIn
    let notices: OwnerNotices

    /// - Throws: `.forbidden` without a fresh sign-in; `.invalid` when the body contains both or neither of an Apple and an OIDC token,
    ///   when the identity token is invalid, or when its issuer is not set up; `.conflict` when the identity is another account's.
    func handle(_ input: LinkInput, _ context: WebContext) async throws -> IdentityList {
        let viewer = try context.requireViewer()
        try await fresh.require(viewer)
        let (identity, hints) =
            switch (input.apple, input.oidc) {
            case (let apple?, nil): try await proved("identity_token") { try await proof.apple(apple) }
            case (nil, let oidc?): try await proved("id_token") { try await proof.oidc(oidc) }
            default:
                throw Problem(
                    .invalid, "Send identity_token, as to /auth/apple, or issuer and id_token, as to /auth/oidc.", field: "identity_token")
            }
        return IdentityList(try await admit.link(identity, hints, to: viewer, notices))
    }

    /// Reports an invalid identity token as `.invalid`. With 401, clients would refresh the caller's own credential, which is valid, or
    /// sign the user out.
    private func proved(
        _ field: String, _ proof: () async throws -> VerifyIdentity.Proved
    ) async throws -> VerifyIdentity.Proved {
        do {
            return try await proof()
        } catch let problem as Problem where problem.kind == .unauthenticated {
            throw Problem(.invalid, problem.message, field: problem.field ?? field)
        }
    }
}

extension IdentityList {
    init(_ identities: [LinkedIdentity]) {
        self.init(identities: identities.map(Identity.init))
    }
}

extension Identity {
    init(_ identity: LinkedIdentity) {
        self.init(
            id: identity.id, issuer: identity.issuer, subject: identity.subject, email: identity.email,
            createdAt: identity.createdAt.date)
    }
}
