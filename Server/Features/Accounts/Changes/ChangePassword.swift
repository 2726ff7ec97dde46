internal import Core
internal import KeepsakeWire
internal import Web

/// `POST /auth/password/change`
struct ChangePassword: Sendable {
    let store: AccountStore
    let own: OwnPassword
    let devices: KnownDevices
    let notices: OwnerNotices
    let clock: WallClock

    /// Ends every session except that of the request. Identities stay, because the owner knows the password and can remove them. The
    /// response and the mail list the identities that were linked since the account was made or last recovered, with a code or by the
    /// operator. A later recovery removes these identities.
    /// - Throws: `.invalid` naming `old_password` or `new_password`; `Problem.wrongPassword`; `.conflict` for an account without a password;
    ///   `.tooManyRequests`.
    func handle(_ input: ChangePasswordInput, _ context: WebContext) async throws -> PasswordChanged {
        let viewer = try context.requireViewer()
        let old = try AccountRules.presentedPassword(input.oldPassword, field: "old_password")
        let new = try AccountRules.newPassword(input.newPassword, field: "new_password")
        guard old.exposed != new.exposed else {
            throw Problem(.invalid, "new_password must differ from old_password.", field: "new_password")
        }
        let credential = try await own.credential(context)
        guard try await own.hasher.matches(old, credential.hash) else {
            // This may be a retry after the response to the first request was lost. The new password is then the current one already, so
            // sending it proves the current password too. The second comparison counts as an attempt of its own. Otherwise somebody with a
            // copied token could guess twice with each attempt.
            try await own.countAttempt(context)
            guard try await own.hasher.matches(new, credential.hash) else { throw Problem.wrongPassword }
            try await remember(viewer, setAt: credential.setAt, context)
            return PasswordChanged(ended: 0, recentIdentities: [])
        }
        let hash = try await own.hasher.hash(new)
        let now = clock.now
        let done = try await store.changePassword(of: viewer, from: credential.hash.stored, to: hash.stored, at: now, notices)
        // Another request changed the password, or ended the session, after the check.
        guard let done else { throw Problem.wrongPassword }
        try await remember(viewer, setAt: now, context)
        return PasswordChanged(ended: done.endedSessions, recentIdentities: done.recent.map(Identity.init))
    }

    /// After a password change, every device counts as unknown. This sets the cookie that makes the request's own device known again.
    private func remember(_ viewer: Viewer, setAt: Timestamp?, _ context: WebContext) async throws {
        context.setDevice(try await devices.text(nil, of: .init(account: viewer.accountID, passwordSetAt: setAt)))
    }
}
