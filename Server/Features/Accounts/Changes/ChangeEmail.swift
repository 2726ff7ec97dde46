internal import Core
internal import Jobs
internal import KeepsakeWire
internal import Web

/// `POST /auth/email/change`
struct ChangeEmail: Sendable {
    let store: AccountStore
    let own: OwnPassword
    let codes: MailedCodes
    let queue: JobQueue
    /// Whether a mail server is configured.
    let canMail: Bool

    /// Mails a code to the new address. The response is the same whether or not the address has an account; only the mail says whether it
    /// has one.
    /// - Throws: `.forbidden` when no mail server is configured; `.invalid` naming `email` or `password`; `Problem.wrongPassword`;
    ///   `.conflict` for an account without a password; `.tooManyRequests`, also when the account has requested five codes within an hour,
    ///   or all accounts have requested 20 for the address.
    func handle(_ input: ChangeEmailInput, _ context: WebContext) async throws -> Empty {
        let viewer = try context.requireViewer()
        let email = try AccountRules.email(input.email)
        let password = try AccountRules.presentedPassword(input.password)
        guard canMail else { throw Problem(.forbidden, "This server sends no mail, so it cannot confirm an address. Ask its operator.") }
        let credential = try await own.prove(password, context)
        guard credential.account.email != email else {
            throw Problem(.invalid, "This is the account's e-mail address already.", field: "email")
        }
        let (code, _) = try await codes.new(lifetime: EmailRules.lifetime)
        let change = NewEmailChange(code: code, account: viewer.accountID, email: email)
        switch try await store.askForEmailChange(change, by: viewer, ifPasswordIs: credential.hash.stored, queue) {
        case .asked: return Empty()
        case .tooMany: throw EmailRules.tooMany
        // Another request changed the password, or ended the session, after the check.
        case .refused: throw Problem.wrongPassword
        }
    }
}

/// `POST /auth/email/confirm`
struct ConfirmEmail: Sendable {
    let store: AccountStore
    let files: (any AccountFiles)?
    let notices: OwnerNotices
    let clock: WallClock

    /// Changes the address, and invalidates the reset codes that were mailed to the old one. The old address gets a notice. A retry gets
    /// the same response until the code expires.
    /// - Throws: `.invalid` naming `code`, with the same message for an unknown, used or expired code and one of another account;
    ///   `.conflict` when another account has taken the address meanwhile.
    func handle(_ input: ConfirmEmailInput, _ context: WebContext) async throws -> User {
        let viewer = try context.requireViewer()
        guard let code = OneTimeCode(presented: input.code) else { throw EmailRules.refused }
        switch try await store.confirmEmail(code.hash, by: viewer, at: clock.now, files, notices) {
        case .changed(let account): return account.user
        case .refused: throw EmailRules.refused
        case .taken: throw EmailRules.taken
        case .signedOut: throw Problem.accountGone
        }
    }
}
