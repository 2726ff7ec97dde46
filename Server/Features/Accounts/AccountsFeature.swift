package import Core
package import Database
package import FeatureKit
internal import Foundation
package import Jobs
internal import KeepsakeWire
import Logging
import Mail
import Outbound
package import ServiceLifecycle
package import Web

/// Accounts and authentication: passwords, sessions, tokens, and the keys that sign them.
package final class AccountsFeature: Feature, Authenticator, SessionWatch {
    let store: AccountStore
    private let clock: WallClock
    private let entropy: Entropy
    private let settings: AccountsSettings
    private let files: (any AccountFiles)?
    private let logger: Logger
    private let identifiers: Identifiers
    private let outbound: OutboundHTTP
    private let publicURL: @Sendable () -> String
    private let queue: JobQueue
    private let hasher: PasswordHasher
    private let keys: SigningKeys
    private let secrets: ServerSecrets
    let accessTokens: AccessTokens
    private let tokens: TokenPairs
    private let appleTokens: AppleTokens?
    let proof: VerifyIdentity
    let admit: AdmitIdentity
    let admitAnonymous: AdmitAnonymous
    private let fresh: FreshSignIn
    let verifiedUsers: VerifiedUsers
    /// The time zone of users who chose none.
    let usualTimeZone: TimeZone
    /// The issuer of Apple's tokens; empty when Sign in with Apple is not set up.
    var appleIssuer: String { settings.identities.apple?.issuer ?? "" }

    /// - Parameter files: what `GET /user/me` shows of an account's files; `nil` shows nothing of them.
    package init(_ context: FeatureContext, settings: AccountsSettings, files: (any AccountFiles)? = nil) {
        let (clock, entropy) = (context.clock, context.entropy)
        self.clock = clock
        self.entropy = entropy
        self.settings = settings
        self.files = files
        logger = context.logger
        identifiers = context.identifiers
        outbound = context.outbound
        publicURL = context.publicURL
        queue = context.jobs
        store = AccountStore(database: context.database)
        hasher = PasswordHasher(cost: settings.passwordCost, entropy: entropy)
        keys = SigningKeys(store: store, clock: clock, entropy: entropy)
        secrets = ServerSecrets(store: store, clock: clock, entropy: entropy)
        accessTokens = AccessTokens(keys: keys, issuer: settings.issuer, clock: clock, entropy: entropy)
        tokens = TokenPairs(
            accessTokens: accessTokens, identifiers: identifiers, clock: clock, entropy: entropy)
        // The members below authenticate requests, both those with a bearer token and those without a credential.
        let apple = settings.identities.apple
        appleTokens = apple.flatMap { [secrets, logger, outbound] apple in
            apple.client.map {
                AppleTokens(settings: apple, client: $0, secrets: secrets, clock: clock, logger: logger, outbound: outbound)
            }
        }
        proof = VerifyIdentity(
            issuers: IdentityIssuers(settings.identities, outbound: outbound, clock: clock, logger: logger),
            requiresAppleNonce: apple?.requiresNonce ?? false, appleTokens: appleTokens)
        admit = AdmitIdentity(store: store, identifiers: identifiers, clock: clock, registration: settings.registration, logger: logger)
        admitAnonymous = AdmitAnonymous(store: store, clock: clock, registration: settings.registration)
        fresh = FreshSignIn(store: store, clock: clock)
        usualTimeZone = context.timeZone
        verifiedUsers = context.settings[Self.verify] ?? settings.verifiedByDefault
    }

    package static let migrations = AccountMigrations.all
    package static let openAPI = PackageResources.openapi_yaml
    package static var surfaces: [PathSurface] {
        ["/auth", "/user/me", "/.well-known/jwks.json"].map { PathSurface($0, .capsules) }
    }

    package var services: [any Service] { [Upkeep("accounts", every: AccountsUpkeep.pause, logger: logger, upkeep.callAsFunction)] }

    package var jobs: [JobHandler] { [resetJobs.finder, registrationJobs.finder] }
    package var mailJobs: [JobHandler] { [resetJobs.sender, registrationJobs.sender] + emailJobs.handlers + [ownerMails.handler] }

    package func addRoutes(to routes: Routes) {
        routes.serve(AccountEndpoints.register, register.handle)
        routes.serve(AccountEndpoints.confirmRegistration, confirmRegistration.handle)
        routes.serve(AccountEndpoints.resendConfirmation, resendConfirmation.handle)
        routes.serve(AccountEndpoints.login, logIn.handle)
        routes.serve(AccountEndpoints.refresh, refresh.handle)
        routes.serve(AccountEndpoints.signOut, signOut.handle)
        routes.serve(AccountEndpoints.openCookie, openCookie.handle)
        routes.serve(AccountEndpoints.endCookie, endCookie.handle)
        routes.serve(AccountEndpoints.me, readMe.handle)
        routes.serve(UpdateMeBody.endpoint, updateMe.handle)
        routes.serve(AccountEndpoints.sessions, listSessions.handle)
        routes.serve(AccountEndpoints.endSession, endSession.handle)
        routes.serve(AccountEndpoints.endSessions, endSessions.handle)
        routes.serve(AccountEndpoints.forgotPassword, forgetPassword.handle)
        routes.serve(AccountEndpoints.resetPassword, resetPassword.handle)
        routes.serve(AccountEndpoints.changePassword, changePassword.handle)
        routes.serve(AccountEndpoints.changeEmail, changeEmail.handle)
        routes.serve(AccountEndpoints.confirmEmail, confirmEmail.handle)
        routes.serve(IdentityEndpoints.apple, signInWithApple.handle)
        routes.serve(IdentityEndpoints.oidc, signInWithOIDC.handle)
        routes.serve(IdentityEndpoints.link, linkIdentity.handle)
        routes.serve(IdentityEndpoints.unlink, unlinkIdentity.handle)
        routes.serve(IdentityEndpoints.identities, listIdentities.handle)
        // A key is published an hour before it signs, so a response that is cached for five minutes is harmless.
        routes.serve(AccountEndpoints.keys, cacheControl: "public, max-age=300", publishKeys.handle)
    }

    package func checkForm(ofBearer token: String) throws {
        guard accessTokens.hasForm(token) || proof.bearer(token) != nil else { throw AccessTokens.notOurs }
    }

    package func viewer(bearer token: String) async throws -> Viewer {
        if let (issuer, identity) = proof.bearer(token) { return try await admit.viewer(try await issuer.verify(identity)) }
        let claims = try await accessTokens.verify(token)
        guard let session = try await store.liveSession(claims.sid, of: claims.sub) else {
            throw Problem.sessionEnded
        }
        if session.isSuspended { throw Problem.suspended }
        return Viewer(accountID: claims.sub, sessionID: claims.sid, isAdmin: session.isAdmin)
    }

    package func live(_ viewers: Set<Viewer>) async throws -> Set<Viewer> {
        let sessions = viewers.compactMap(\.sessionID)
        let liveSessions = sessions.isEmpty ? [:] : try await store.liveSessions(sessions)
        let others = viewers.filter { $0.sessionID == nil }
        let accounts = others.isEmpty ? [] : try await store.accounts(others.map(\.accountID))
        let linked = try await store.linkedIdentities(of: others)
        return viewers.filter { viewer in
            if let session = viewer.sessionID { return liveSessions[session] == viewer.accountID }
            return accounts.contains(viewer.accountID) && (viewer.identity == nil || linked.contains(viewer))
        }
    }

    package func viewer(cookie value: String) async throws -> Viewer {
        let now = clock.now
        guard let token = RefreshToken(presented: value), let found = try await store.liveCookie(token.hash, at: now) else {
            throw Problem.sessionEnded
        }
        if found.isSuspended { throw Problem.suspended }
        if let session = found.viewer.sessionID, now - found.lastUsedAt >= SessionRules.useGrain {
            // A failed write, for example on a full disk, must not fail the request; the session then counts as used earlier.
            do { try await store.touchSession(session, at: now) } catch { logger.debug("the time of a session's last use was not stored") }
        }
        return found.viewer
    }

    package func viewer(anonymous id: String) async throws -> Viewer { try await admitAnonymous(id) }

    /// A 32-byte secret that stays the same for the life of the database, in every process. The program seals links and cursors with such
    /// secrets, which it needs before it creates any feature.
    /// - Parameter name: 1...64 characters, a constant of the program.
    package static func secret(
        named name: String, _ database: any Database, clock: WallClock, entropy: Entropy
    ) async throws -> Secret<[UInt8]> {
        try await ServerSecrets(store: AccountStore(database: database), clock: clock, entropy: entropy).secret(name)
    }

    /// Like the static `secret`, for a feature that needs a secret of its own. The server reads it once, and then keeps it in memory.
    package func secret(named name: String) async throws -> Secret<[UInt8]> { try await secrets.secret(name) }

    package var examinations: [Examination] {
        [
            Examination(name: "mail") { [settings] in
                guard let mailer = settings.mailer else {
                    return "none: the server sends no mail; set KEEPSAKE_SMTP"
                }
                do {
                    try await mailer.probe()
                } catch let failure as SMTPFailure {
                    let (place, reason) = (mailer.settings.address.place, failure.description)
                    throw reason.contains(place) ? failure : SMTPFailure.permanent("\(place): \(reason)")
                }
                let login = mailer.settings.login == nil ? "" : ", signed in"
                let codes = settings.confirmsEmail ? "; a registration needs the code that it mails" : ""
                return "\(mailer.settings.address.host) accepts mail from this server\(login)\(codes)"
            }
        ]
    }

    /// For `keepsake token`: signs in the account of `email`, which it creates if necessary. Works while the server runs.
    /// - Parameter isAdmin: `true` makes the account an administrator; `false` does not change it.
    /// - Throws: `.invalid` naming `email`; `.suspended`.
    package func issueToken(email: String, isAdmin: Bool) async throws -> IssuedToken {
        try await IssueToken(store: store, tokens: tokens)(email: email, isAdmin: isAdmin)
    }

    /// For `keepsake invite`: creates a code that allows one registration. Works while the server runs.
    /// - Parameters:
    ///   - email: the only e-mail address that can register with the code; `nil` for any.
    ///   - lifetime: a minute to 365 days.
    /// - Throws: `.invalid` naming `email` or `expires`.
    package func invite(email: String?, lifetime: Duration) async throws -> Invitation {
        try await InvitePerson(store: store, clock: clock, entropy: entropy)(email: email, lifetime: lifetime)
    }

    /// For `keepsake users reset`: creates a code with which the user sets a new password. The operator passes it on. Works while the
    /// server runs.
    /// - Parameter lifetime: a minute to 7 days.
    /// - Throws: `.invalid` naming `email` or `expires`; `.notFound` when no account has that e-mail address.
    package func issueReset(email: String, lifetime: Duration) async throws -> IssuedReset {
        try await resetIssue(email: email, lifetime: lifetime)
    }

    /// For `keepsake users reset --password-stdin`: sets the password, ends every session, and removes all identities that were linked
    /// after the account was made.
    /// - Parameter keepsIdentities: `true` keeps these identities.
    /// - Throws: `.invalid` naming `email` or `password`; `.notFound` when no account has that e-mail address.
    package func setPassword(
        _ password: String, email: String, keepsIdentities: Bool = false
    ) async throws -> (userID: String, endedSessions: Int, removedIdentities: Int) {
        try await resetIssue.set(password, email: email, keepsIdentities: keepsIdentities)
    }

    package func isAccount(_ id: String, alsoKnownAs subject: String) async throws -> Bool {
        guard IdentityRules.subjectByteCounts.contains(subject.utf8.count), !subject.utf8.contains(0) else { return false }
        return try await store.isLinked(subject, to: id)
    }

    package func isOpen(_ account: String) async throws -> Bool { try await store.account(account) != nil }

    /// Call this before an action that would let the holder of a copied token take over or destroy the account.
    /// - Throws: `.forbidden` unless the viewer's user presented a password or an identity token at most ten minutes ago.
    package func requireFreshSignIn(_ viewer: Viewer) async throws { try await fresh.require(viewer) }

    /// Asks Apple to revoke its tokens for an account, which may already be deleted. Safe to call again.
    /// - Throws: when some tokens could not be revoked; they stay stored for the next attempt. `JobFailure.permanent` when this server is
    ///   not configured to revoke them.
    package func revokeAppleTokens(of account: String) async throws {
        try await RevokeAppleTokens(store: store, apple: appleTokens)(account)
    }

    // MARK: Handlers, which `addRoutes` makes once

    var signInWithApple: SignInWithApple { SignInWithApple(proof: proof, admit: admit, store: store, tokens: tokens) }
    var signInWithOIDC: SignInWithOIDC { SignInWithOIDC(proof: proof, admit: admit, store: store, tokens: tokens) }
    var linkIdentity: LinkIdentity { LinkIdentity(proof: proof, admit: admit, fresh: fresh, notices: notices) }
    var unlinkIdentity: UnlinkIdentity {
        UnlinkIdentity(store: store, fresh: fresh, notices: notices, clock: clock, apple: appleIssuer)
    }
    private var notices: OwnerNotices {
        OwnerNotices(
            queue: settings.mailer == nil ? nil : queue, identifiers: identifiers)
    }
    private var mailer: AccountMailer { AccountMailer(client: settings.mailer, place: publicURL) }
    private func codes(for use: MailedCodes.Use) -> MailedCodes { MailedCodes(use: use, secrets: secrets, identifiers: identifiers) }
    private func codeMails(for use: MailedCodes.Use) -> CodeMails { CodeMails(codes: codes(for: use), mailer: mailer) }
    var ownerMails: OwnerMails { OwnerMails(store: store, mailer: mailer) }
    private var devices: KnownDevices { KnownDevices(secrets: secrets, entropy: entropy) }
    var listIdentities: ListIdentities { ListIdentities(store: store) }
    var register: RegisterWithPassword {
        RegisterWithPassword(
            store: store, hasher: hasher, tokens: tokens, devices: devices, registration: settings.registration,
            hold: settings.confirmsEmail ? HoldRegistration(store: store, codes: codes(for: .registration), queue: queue) : nil)
    }
    var registrationJobs: RegistrationJobs { RegistrationJobs(store: store, queue: queue, mails: codeMails(for: .registration)) }
    var confirmRegistration: ConfirmRegistration {
        ConfirmRegistration(
            store: store, hasher: hasher, tokens: tokens, devices: devices, registration: settings.registration,
            isOn: settings.confirmsEmail)
    }
    var resendConfirmation: ResendConfirmation { ResendConfirmation(store: store, queue: queue, isOn: settings.confirmsEmail) }
    var logIn: LogInWithPassword { LogInWithPassword(store: store, hasher: hasher, tokens: tokens, devices: devices) }
    var refresh: RefreshTokens { RefreshTokens(store: store, tokens: tokens, secrets: secrets, logger: logger) }
    var signOut: SignOut { SignOut(store: store, clock: clock) }
    var openCookie: OpenCookie { OpenCookie(store: store, clock: clock, entropy: entropy) }
    var endCookie: EndCookie { EndCookie(store: store) }
    var readMe: ReadMe { ReadMe(store: store, files: files) }
    var updateMe: UpdateMe { UpdateMe(store: store, files: files) }
    private var ownPassword: OwnPassword { OwnPassword(store: store, hasher: hasher) }
    var changePassword: ChangePassword {
        ChangePassword(store: store, own: ownPassword, devices: devices, notices: notices, clock: clock)
    }
    var emailJobs: EmailJobs { EmailJobs(store: store, mails: codeMails(for: .emailChange)) }
    var changeEmail: ChangeEmail {
        ChangeEmail(store: store, own: ownPassword, codes: codes(for: .emailChange), queue: queue, canMail: settings.mailer != nil)
    }
    var confirmEmail: ConfirmEmail { ConfirmEmail(store: store, files: files, notices: notices, clock: clock) }
    var resetJobs: ResetJobs {
        ResetJobs(store: store, queue: queue, mails: codeMails(for: .passwordReset), link: settings.resetLink)
    }
    var forgetPassword: ForgetPassword {
        ForgetPassword(store: store, queue: queue, canMail: settings.mailer != nil)
    }
    var resetPassword: ResetPassword { ResetPassword(store: store, hasher: hasher, notices: notices, clock: clock) }
    private var resetIssue: IssueReset {
        IssueReset(
            store: store, codes: codes(for: .passwordReset), clock: clock, hasher: hasher, notices: notices, link: settings.resetLink)
    }
    var listSessions: ListSessions { ListSessions(store: store, clock: clock) }
    var endSession: EndSession { EndSession(store: store, clock: clock) }
    var endSessions: EndSessions { EndSessions(store: store, clock: clock) }
    var publishKeys: PublishKeys { PublishKeys(keys: keys, clock: clock) }
    var upkeep: AccountsUpkeep { AccountsUpkeep(keys: keys, store: store, clock: clock) }
}
