package import Core

/// Finds the account of a credential. The Accounts feature implements it.
package protocol Authenticator: Sendable {
    /// - Throws: `Problem(.unauthenticated)` unless the token is genuine, current, and of an account that exists; `Problem.suspended`.
    func viewer(bearer token: String) async throws -> Viewer

    /// Refuses a text that cannot be a token, whatever the database contains. Does not read the database, and takes only microseconds.
    /// - Throws: `Problem(.unauthenticated)`.
    func checkForm(ofBearer token: String) throws

    /// - Throws: `Problem(.unauthenticated)` unless the cookie's value is genuine, current, and of a session that has not ended;
    ///   `Problem.suspended`.
    func viewer(cookie value: String) async throws -> Viewer

    /// The account with this id, without any proof. Only for a server that is configured to accept every id.
    ///
    /// The first request with an id makes its account. The viewer is never an administrator, even if the account is one.
    /// - Throws: `Problem(.invalid)` naming `userId` when the id is malformed; `.forbidden` when the account does not exist and may not be
    ///   made; `.suspended`.
    func viewer(anonymous id: String) async throws -> Viewer

    /// Whether an identity issuer knows the account's owner as `subject`. A path may use that name in place of the account's id.
    func isAccount(_ id: String, alsoKnownAs subject: String) async throws -> Bool

    /// Whether the account exists and its owner has not deleted it.
    func isOpen(_ account: String) async throws -> Bool
}

extension Authenticator {
    package func isAccount(_ id: String, alsoKnownAs subject: String) async throws -> Bool { false }
    package func isOpen(_ account: String) async throws -> Bool { true }
}

extension Problem {
    /// The request has no credential.
    static let signInFirst = Problem(.unauthenticated, "Sign in first: send Authorization: Bearer <access token>.")

    /// The account was deleted after the credential was checked.
    package static let accountGone = Problem(.unauthenticated, "This account does not exist any more.")

    /// The credential is valid, but its owner signed in too long ago.
    package static let signInAgain = Problem(
        .forbidden, "This needs a sign-in within the last 10 minutes. Sign in again, then repeat the request.", code: signInAgainCode)

    /// The credential is valid, but the password that the request must contain is not the account's. The status is not 401, because clients
    /// would conclude that their credential was refused.
    package static let wrongPassword = Problem(.forbidden, "The password is wrong.", code: wrongPasswordCode)

    /// The credential is valid, but the operator has suspended its account.
    package static let suspended = Problem(
        .forbidden, "This account is suspended. Contact the operator of this server.", code: suspendedCode)

    /// The registration waits for a code that was mailed. The response is the same if the address has an account.
    package static let confirmEmail = Problem(
        .forbidden, "A code is on its way to this e-mail address. Confirm the registration with it.", code: confirmEmailCode)

    static let signInAgainCode = "sign_in_again"
    static let wrongPasswordCode = "wrong_password"
    static let suspendedCode = "suspended"
    static let confirmEmailCode = "confirm_email"
}
