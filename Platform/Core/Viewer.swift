/// Who a request acts for, once its credential was found genuine.
package struct Viewer: Sendable, Hashable {
    package let accountID: String
    /// The session the credential belongs to; `nil` for a credential we did not issue.
    package let sessionID: String?
    package let isAdmin: Bool

    package init(accountID: String, sessionID: String?, isAdmin: Bool) {
        self.accountID = accountID
        self.sessionID = sessionID
        self.isAdmin = isAdmin
    }
}
