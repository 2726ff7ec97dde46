package import Core
package import Database
package import Logging
package import ServiceLifecycle
package import Web
internal import Wire

/// Who people are: passwords, sessions, tokens, and the keys that sign them.
package final class AccountsFeature: Feature, Authenticator, SessionWatch {
    let store: AccountStore
    private let clock: WallClock
    private let entropy: Entropy
    private let settings: AccountsSettings
    private let logger: Logger
    private let hasher: PasswordHasher
    private let keys: SigningKeys
    private let secrets: ServerSecrets
    let accessTokens: AccessTokens
    private let tokens: TokenPairs

    package init(database: any Database, clock: WallClock, entropy: Entropy, settings: AccountsSettings, logger: Logger) {
        self.clock = clock
        self.entropy = entropy
        self.settings = settings
        self.logger = logger
        store = AccountStore(database: database)
        hasher = PasswordHasher(cost: settings.passwordCost, entropy: entropy)
        keys = SigningKeys(store: store, clock: clock, entropy: entropy)
        secrets = ServerSecrets(store: store, clock: clock, entropy: entropy)
        accessTokens = AccessTokens(keys: keys, issuer: settings.issuer, clock: clock, entropy: entropy)
        tokens = TokenPairs(
            accessTokens: accessTokens, identifiers: Identifiers(clock: clock, entropy: entropy), clock: clock, entropy: entropy)
    }

    package static let migrations = AccountMigrations.all
    package static let openAPI = PackageResources.openapi_yaml

    package var services: [any Service] { [Upkeep("accounts", every: AccountsUpkeep.pause, logger: logger, upkeep.callAsFunction)] }

    package func addRoutes(to routes: Routes) {
        let (register, logIn, refresh) = (register, logIn, refresh)
        let (signOut, readMe, updateMe, publishKeys) = (signOut, readMe, updateMe, publishKeys)
        routes.serve(AccountEndpoints.register) { input, context in
            try await context.countSignIn(as: input.email)
            return try await register(input)
        }
        routes.serve(AccountEndpoints.login) { input, context in
            try await context.countSignIn(as: input.email)
            return try await logIn(input)
        }
        routes.serve(AccountEndpoints.refresh) { input, _ in try await refresh(input) }
        routes.serve(AccountEndpoints.signOut) { _, context in try await signOut(try context.requireViewer()) }
        routes.serve(AccountEndpoints.openCookie) { [openCookie] _, context in try await openCookie(context) }
        routes.serve(AccountEndpoints.endCookie) { [endCookie] _, context in try await endCookie(context) }
        routes.serve(AccountEndpoints.me) { _, context in try await readMe(try context.requireViewer()) }
        routes.serve(AccountEndpoints.updateMe) { input, context in try await updateMe(input, try context.requireViewer()) }
        // A key is published an hour before it signs, so five minutes are harmless.
        routes.serve(AccountEndpoints.keys, cacheControl: "public, max-age=300") { _, _ in try await publishKeys() }
    }

    package func viewer(bearer token: String) async throws -> Viewer {
        let claims = try await accessTokens.verify(token)
        guard let isAdmin = try await store.liveSession(claims.sid, of: claims.sub) else {
            throw Problem(.unauthenticated, "This session has ended. Sign in again.")
        }
        return Viewer(accountID: claims.sub, sessionID: claims.sid, isAdmin: isAdmin)
    }

    package func live(_ viewers: Set<Viewer>) async throws -> Set<Viewer> {
        let sessions = viewers.compactMap(\.sessionID)
        let liveSessions = sessions.isEmpty ? [:] : try await store.liveSessions(sessions)
        let others = viewers.filter { $0.sessionID == nil }.map(\.accountID)
        let accounts = others.isEmpty ? [] : try await store.accounts(others)
        return viewers.filter { viewer in
            guard let session = viewer.sessionID else { return accounts.contains(viewer.accountID) }
            return liveSessions[session] == viewer.accountID
        }
    }

    package func viewer(cookie value: String) async throws -> Viewer {
        guard let token = RefreshToken(presented: value), let viewer = try await store.liveCookie(token.hash, at: clock.now) else {
            throw Problem(.unauthenticated, "This session has ended. Sign in again.")
        }
        return viewer
    }

    package func viewer(anonymous id: String) async throws -> Viewer { try await admitAnonymous(id) }

    /// 32 bytes that stay the same for the life of the database, in every process: for seals of links and cursors.
    /// - Parameter name: 1...64 characters, written in the program.
    package func secret(named name: String) async throws -> Secret<[UInt8]> { try await secrets.secret(name) }

    /// For `keepsake token`: signs the account of `email` in, making it if need be. Works beside a running server.
    /// - Parameter isAdmin: makes the account an admin's; `false` leaves it what it is.
    /// - Throws: `.invalid` naming `email`.
    package func issueToken(email: String, isAdmin: Bool) async throws -> IssuedToken {
        try await IssueToken(store: store, tokens: tokens)(email: email, isAdmin: isAdmin)
    }

    // MARK: Handlers

    var register: RegisterWithPassword {
        RegisterWithPassword(store: store, hasher: hasher, tokens: tokens, registration: settings.registration)
    }
    var logIn: LogInWithPassword { LogInWithPassword(store: store, hasher: hasher, tokens: tokens) }
    var admitAnonymous: AdmitAnonymous { AdmitAnonymous(store: store, clock: clock, registration: settings.registration) }
    var refresh: RefreshTokens { RefreshTokens(store: store, tokens: tokens, secrets: secrets, logger: logger) }
    var signOut: SignOut { SignOut(store: store, clock: clock) }
    var openCookie: OpenCookie { OpenCookie(store: store, clock: clock, entropy: entropy) }
    var endCookie: EndCookie { EndCookie(store: store) }
    var readMe: ReadMe { ReadMe(store: store) }
    var updateMe: UpdateMe { UpdateMe(store: store) }
    var publishKeys: PublishKeys { PublishKeys(keys: keys, clock: clock) }
    var upkeep: AccountsUpkeep { AccountsUpkeep(keys: keys, store: store, clock: clock) }
}
