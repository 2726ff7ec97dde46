internal import Core
internal import KeepsakeWire
internal import Web

/// `POST /auth/password/reset`
struct ResetPassword: Sendable {
    let store: AccountStore
    let hasher: PasswordHasher
    let notices: OwnerNotices
    let clock: WallClock

    /// Sets the password, ends every session of the account and, unless the request says to keep them, removes the identities that were
    /// linked since the account was made or last recovered. So an intruder who knew the old password or held a token loses access, even if
    /// the intruder has changed the password.
    /// - Throws: `.invalid` naming `token`, with the same message for an unknown, used or expired code, or naming `password`;
    ///   `.suspended`.
    func handle(_ input: ResetPasswordInput, _ context: WebContext) async throws -> PasswordResetResult {
        let password = try AccountRules.newPassword(input.password)
        // The code is checked before the password is hashed, which is expensive: a guess costs one row read.
        guard let code = OneTimeCode(presented: input.token) else { throw ResetRules.refused }
        switch try await store.checkReset(code.hash, at: clock.now) {
        case .good: break
        case .suspended: throw Problem.suspended
        case .refused: throw ResetRules.refused
        }
        let hash = try await hasher.hash(password)
        let done = try await store.reset(
            code.hash, to: hash.stored, keepingIdentities: input.keepIdentities ?? false, at: clock.now, notices)
        guard let done else { throw ResetRules.refused }
        return PasswordResetResult(
            recentIdentities: done.recent.map(Identity.init), removed: done.isRecentRemoved && !done.recent.isEmpty)
    }
}
