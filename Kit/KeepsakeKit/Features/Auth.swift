public import KeepsakeWire

/// Signing in and out, and the account.
public struct Auth: Sendable {
    let client: Client

    /// Creates an account and signs in.
    @discardableResult
    public func register(email: String, password: String, name: String? = nil, invite: String? = nil) async throws -> User {
        try await signIn(AccountEndpoints.register, RegisterInput(email: email, password: password, name: name, invite: invite))
    }

    @discardableResult
    public func signIn(email: String, password: String) async throws -> User {
        try await signIn(AccountEndpoints.login, LoginInput(email: email, password: password))
    }

    @discardableResult
    public func signIn(apple input: AppleInput) async throws -> User { try await signIn(IdentityEndpoints.apple, input) }

    @discardableResult
    public func signIn(oidc input: OIDCInput) async throws -> User { try await signIn(IdentityEndpoints.oidc, input) }

    private func signIn<Input>(_ endpoint: Endpoint<Input, SignedIn>, _ input: Input) async throws -> User {
        let attempt = await client.session.beginSignIn()
        let answer = try await client.send(endpoint) { _ in input }
        try await client.session.signIn(attempt, userID: answer.user.id, answer.token)
        return answer.user
    }

    /// Takes over tokens that another program obtained, for example `keepsake token`.
    public func signIn(userID: String, token: AuthToken) async throws {
        let attempt = await client.session.beginSignIn()
        try await client.session.signIn(attempt, userID: userID, token)
    }

    /// Signs out on this device at once, and on the server if it can be reached.
    /// - Throws: `store_unavailable` when the tokens could not be deleted from the store: call again later.
    public func signOut() async throws {
        guard let ended = try await client.session.signOut() else { return }
        // Without the network the session ends on the server when its tokens expire.
        try? await client.endOnServer(ended)
    }

    /// The id of the account that is signed in; `nil` if nobody is.
    /// - Throws: `store_unavailable`
    public var userID: String? { get async throws { try await client.session.user() } }

    /// The current state, if somebody is signed in, then each change. Each stream keeps only the newest state that was not read yet.
    public func states() async -> AsyncStream<AuthState> { await client.session.states() }

    public func me() async throws -> User { try await client.send(AccountEndpoints.me) { _ in Empty() } }

    public func update(_ input: UpdateMeInput) async throws -> User { try await client.send(AccountEndpoints.updateMe) { _ in input } }

    public func sessions() async throws -> [SessionList.Session] {
        try await client.send(AccountEndpoints.sessions) { _ in Empty() }.sessions
    }
}
