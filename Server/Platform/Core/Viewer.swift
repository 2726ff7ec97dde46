/// The account that a request acts for, after its credential was verified.
package struct Viewer: Sendable, Hashable {
    package let accountID: String
    /// The credential's session; `nil` for a credential from an identity issuer.
    package let sessionID: String?
    package let isAdmin: Bool
    /// The identity of a credential from an identity issuer; `nil` for a session's credential.
    package let identity: Identity?

    /// A person known to an identity issuer and linked to the account.
    package struct Identity: Sendable, Hashable {
        /// The id that `DELETE /auth/identities/{id}` takes.
        package let id: String
        /// When the person last authenticated with the issuer; `nil` when the issuer does not say.
        package let signedInAt: Timestamp?

        package init(id: String, signedInAt: Timestamp?) {
            self.id = id
            self.signedInAt = signedInAt
        }
    }

    package init(accountID: String, sessionID: String?, isAdmin: Bool, identity: Identity? = nil) {
        self.accountID = accountID
        self.sessionID = sessionID
        self.isAdmin = isAdmin
        self.identity = identity
    }
}
