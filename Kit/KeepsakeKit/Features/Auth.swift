public import Foundation
public import KeepsakeWire

/// Sign-in, sign-out and the account.
public struct Auth: Sendable {
    let client: Client

    /// Creates an account and signs in.
    /// - Parameter timeZone: an IANA name, for example `TimeZone.current.identifier`. The server uses this time zone for the times of
    ///   photos that have no offset. `nil` means the server's time zone; `update(_:)` changes it later.
    /// - Throws: `confirm_email` on a server that mails a code first. Continue with `confirmRegistration(code:password:)`.
    @discardableResult
    public func register(
        email: String, password: String, name: String? = nil, invite: String? = nil, timeZone: String? = nil
    ) async throws -> User {
        try await signIn(
            AccountEndpoints.register,
            RegisterInput(email: email, password: password, name: name, invite: invite, timeZone: timeZone))
    }

    /// Completes a registration for which the server mailed a code: creates the account and signs in.
    /// - Parameters:
    ///   - code: the code from the mail, as the person typed it.
    ///   - password: the password that the registration sent.
    @discardableResult
    public func confirmRegistration(code: String, password: String) async throws -> User {
        try await signIn(AccountEndpoints.confirmRegistration, ConfirmRegistrationInput(code: code, password: password))
    }

    /// Asks the server to mail a new code, if a registration with this address still waits for its code.
    public func resendConfirmation(email: String) async throws {
        _ = try await client.send(AccountEndpoints.resendConfirmation) { _ in ResendConfirmationInput(email: email) }
    }

    @discardableResult
    public func signIn(email: String, password: String) async throws -> User {
        try await signIn(AccountEndpoints.login, LoginInput(email: email, password: password))
    }

    @discardableResult
    public func signIn(apple input: AppleInput) async throws -> User { try await signIn(IdentityEndpoints.apple, input) }

    @discardableResult
    public func signIn(oidc input: OIDCInput) async throws -> User { try await signIn(IdentityEndpoints.oidc, input) }

    private func signIn<Input: Sendable>(_ endpoint: Endpoint<Input, SignedIn>, _ input: Input) async throws -> User {
        let attempt = await client.session.beginSignIn()
        let answer = try await client.send(endpoint) { _ in input }
        try await client.session.signIn(attempt, userID: answer.user.id, answer.token)
        return answer.user
    }

    /// Uses tokens that another program obtained, for example `keepsake token`.
    public func signIn(userID: String, token: AuthToken) async throws {
        let attempt = await client.session.beginSignIn()
        try await client.session.signIn(attempt, userID: userID, token)
    }

    /// Signs out on this device at once, and on the server if it can be reached.
    /// - Throws: `store_unavailable` when the tokens could not be deleted from the store: call again later.
    public func signOut() async throws {
        guard let ended = try await client.session.signOut() else { return }
        // If the server cannot be reached, the session ends there when its tokens expire.
        try? await client.endOnServer(ended)
    }

    /// The id of the account that is signed in; `nil` if nobody is.
    /// - Throws: `store_unavailable`
    public var userID: String? { get async throws { try await client.session.user() } }

    /// Yields the current state if somebody is signed in, then each change. Each stream keeps only the newest state that was not read yet.
    ///
    /// The states come from the token store. If the library cannot read the store now, for example because the device is locked, the stream
    /// yields the state when a later call can read it. If another process signs out, the stream yields that when a call has to refresh the
    /// access token: shortly before the token expires, or after the server refused it.
    public func states() async -> AsyncStream<AuthState> { await client.session.states() }

    public func me() async throws -> User { try await client.send(AccountEndpoints.me) { _ in Empty() } }

    public func update(_ input: UpdateMeInput) async throws -> User { try await client.send(AccountEndpoints.updateMe) { _ in input } }

    public func sessions() async throws -> [SessionList.Session] {
        try await client.send(AccountEndpoints.sessions) { _ in Empty() }.sessions
    }

    /// Signs another device out.
    /// - Parameter id: the id of one of `sessions`. To end this device's session, call `signOut`.
    public func endSession(_ id: String) async throws {
        _ = try await client.send(AccountEndpoints.endSession) { _ in SessionInput(id: id) }
    }

    /// Signs all other devices out.
    /// - Returns: the number of sessions that ended.
    @discardableResult
    public func endOtherSessions() async throws -> Int {
        try await client.send(AccountEndpoints.endSessions, .init(repeats: true)) { _ in EndSessionsInput(keepCurrent: true) }.ended
    }

    // MARK: Other ways to sign in

    /// The identities at other providers with which the user can sign in to the account, oldest first.
    public func identities() async throws -> [Identity] {
        try await client.send(IdentityEndpoints.identities) { _ in Empty() }.identities
    }

    public func link(_ input: LinkInput) async throws -> [Identity] {
        try await client.send(IdentityEndpoints.link) { _ in input }.identities
    }

    /// Removes an identity from the account. Requires a sign-in within the last ten minutes.
    public func unlink(_ id: String) async throws -> [Identity] {
        try await client.send(IdentityEndpoints.unlink) { _ in IdentityPath(id: id) }.identities
    }

    /// Asks the server to mail a code for a new password, if an account has this address.
    public func forgotPassword(email: String) async throws {
        _ = try await client.send(AccountEndpoints.forgotPassword) { _ in ForgotPasswordInput(email: email) }
    }

    /// - Parameter input: the new password and the code from the mail.
    public func resetPassword(_ input: ResetPasswordInput) async throws -> PasswordResetResult {
        try await client.send(AccountEndpoints.resetPassword) { _ in input }
    }

    /// Changes the password and signs all other devices out. This device stays signed in.
    /// - Throws: `wrong_password`
    @discardableResult
    public func changePassword(from old: String, to new: String) async throws -> PasswordChanged {
        try await client.send(AccountEndpoints.changePassword, .init(repeats: true)) { _ in
            ChangePasswordInput(oldPassword: old, newPassword: new)
        }
    }

    /// Asks the server to mail a code to the new address. The address changes only after `confirmEmail(code:)`.
    /// - Throws: `wrong_password`
    public func changeEmail(to email: String, password: String) async throws {
        _ = try await client.send(AccountEndpoints.changeEmail) { _ in ChangeEmailInput(email: email, password: password) }
    }

    /// - Parameter code: the code from the mail, as the person typed it.
    public func confirmEmail(code: String) async throws -> User {
        try await client.send(AccountEndpoints.confirmEmail, .init(repeats: true)) { _ in ConfirmEmailInput(code: code) }
    }

    // MARK: The account's data

    /// Downloads all of the account's data as a ZIP archive. The file appears at `file` only when it is complete.
    public func export(to file: URL, progress: ProgressHandler? = nil) async throws {
        try await client.download(AccountDataEndpoints.export, to: file, .init(progress: ProgressReport(progress))) { _ in Empty() }
    }

    /// Closes the account at once, and signs out on this device; the server deletes the data shortly after.
    /// - Parameter keepCoves: whether the server hands each cove that the account created to its longest-standing ADMIN, or without one to
    ///   its longest-standing member. Otherwise these coves end for all their members.
    /// - Returns: a receipt that the server signed.
    public func deleteAccount(keepCoves: Bool = false) async throws -> DeletedAccount {
        let deleted = try await client.send(AccountDataEndpoints.delete) { _ in DeleteAccountInput(keepCoves: keepCoves) }
        // The server has already ended the session. If the store is locked, the next call learns of that.
        _ = try? await client.session.signOut()
        return deleted
    }
}
