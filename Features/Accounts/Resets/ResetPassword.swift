internal import Core
internal import Wire

/// `POST /auth/password/reset`
struct ResetPassword: Sendable {
    let store: AccountStore
    let hasher: PasswordHasher
    let clock: WallClock

    /// Sets the password and ends every session of the account: whoever knew the old one is out.
    /// - Throws: `.invalid` naming `token`, in the same words for one that is unknown, used or over, or naming `password`.
    func callAsFunction(_ input: ResetPasswordInput) async throws -> Empty {
        let password = try AccountRules.newPassword(input.password)
        // Asked before the hash, which is expensive: a guess costs a row.
        guard let code = OneTimeCode(presented: input.token), try await store.isLiveReset(code.hash, at: clock.now) else {
            throw ResetRules.refused
        }
        let hash = try await hasher.hash(password)
        guard try await store.reset(code.hash, to: hash.stored, at: clock.now) else { throw ResetRules.refused }
        return Empty()
    }
}
