internal import Core
internal import Jobs

/// Revokes Apple's tokens for an account that was deleted.
struct RevokeAppleTokens: Sendable {
    let store: AccountStore
    let apple: AppleTokens?

    /// Deletes each token's row as soon as Apple has revoked it, so that a retry handles only the others.
    func callAsFunction(_ account: String) async throws {
        let kept = try await store.appleTokens(of: account)
        guard !kept.isEmpty else { return }
        guard let apple else {
            throw JobFailure.permanent("KEEPSAKE_APPLE_KEY is not set, and without it Apple's tokens cannot be revoked")
        }
        var failure: (any Error)?
        for token in kept {
            do {
                try await apple.revoke(token)
                try await store.forget(token, of: account)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }
}
