package import Core
package import Database

extension AccountsFeature {
    /// Registers what a feature takes back when the owner recovers their account: a secret of the account that works without a session.
    /// For the feature's initializer, before any request is served. The closure must not refer to this object.
    /// - Parameter revoke: runs in the transaction that sets the password.
    ///   - Returns: what it took back, as the beginning of a sentence that continues "was deleted"; `nil` for nothing.
    package func onRecovery(_ revoke: @escaping @Sendable (_ account: String, _ tx: WriteTransaction) throws -> String?) {
        store.recoveries.add(revoke)
    }

    /// Call it first in a write that makes such a secret. Until the transaction ends, the account is not recovered; afterwards the session
    /// has ended, and no secret is made.
    /// - Throws: `.unauthenticated` when the viewer's session has ended, or their identity was removed, since the request was authenticated.
    package func requireSignedIn(_ viewer: Viewer, _ tx: WriteTransaction) throws {
        // A viewer without either is one of a server in development that asks for no credential.
        guard viewer.sessionID != nil || viewer.identity != nil else { return }
        try tx.lock("password \(viewer.accountID)")
        guard try AccountStore.isSignedIn(viewer, tx) else {
            throw Problem(.unauthenticated, "This session has ended. Sign in again.")
        }
    }
}
