/// Who a request acts for, once its credential was found genuine.
package struct Viewer: Sendable, Hashable {
    package let accountID: String
    /// The session the credential belongs to; `nil` for a credential we did not issue.
    package let sessionID: String?
    package let isAdmin: Bool
    /// Of a credential that an identity issuer made; `nil` for a session's.
    package let identity: Identity?

    /// Somebody whom an identity issuer knows, and who is linked to the account.
    package struct Identity: Sendable, Hashable {
        /// As `DELETE /auth/identities/{id}` names it.
        package let id: String
        /// When the person last proved to the issuer who they are; `nil` when the issuer does not say.
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
