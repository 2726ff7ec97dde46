package import Core
package import Database

extension AccountsFeature {
    /// Registers a closure that runs when an owner recovers their account. It revokes a secret that gives access to the account without a
    /// session, such as a calendar link. Call it in the feature's initializer, before any request is served. The closure must not refer to
    /// this object.
    /// - Parameter revoke: runs in the transaction that sets the password.
    ///   - Returns: what it revoked, as the beginning of a sentence that continues "was deleted"; `nil` when there was nothing to revoke.
    package func onRecovery(_ revoke: @escaping @Sendable (_ account: String, _ tx: WriteTransaction) throws -> String?) {
        store.recoveries.add(revoke)
    }

    /// Call this first in a write that creates a secret of the kind that `onRecovery` revokes. A recovery waits until this write ends, and
    /// then revokes the secret. If the recovery came first, the viewer's session has ended, and this call throws.
    /// - Throws: `.unauthenticated` when the viewer's session has ended, or their identity was removed, since the request was authenticated.
    package func requireSignedIn(_ viewer: Viewer, _ tx: WriteTransaction) throws {
        // A viewer with neither comes from a development server that requires no credential.
        guard viewer.sessionID != nil || viewer.identity != nil else { return }
        try tx.lock(AccountLocks.password(of: viewer.accountID))
        guard try AccountStore.isSignedIn(viewer, tx) else {
            throw Problem.sessionEnded
        }
    }
}
