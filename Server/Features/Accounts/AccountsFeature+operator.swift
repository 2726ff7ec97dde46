package import Core
package import Database
package import KeepsakeWire
internal import Web

/// What the operator does to accounts, by the command line or by `/admin/users`. Works while the server runs. `AccountData` calls it,
/// because suspending involves every feature.
extension AccountsFeature {
    /// The result of an operator's change to an account.
    package struct ChangeResult: Sendable {
        /// After the change.
        package let account: AccountSummary
        /// `false` when the account was in the requested state before.
        package let isChanged: Bool

        fileprivate init(_ result: AccountStore.ChangeResult) throws {
            switch result {
            case .changed(let account): (self.account, isChanged) = (account, true)
            case .unchanged(let account): (self.account, isChanged) = (account, false)
            case .unknown: throw AccountsFeature.noSuchAccount
            }
        }
    }

    /// Suspends the account: from now on its credentials are refused with 403 and `suspended`, and its sockets close. Nothing is deleted.
    /// - Parameter hiding: further writes in the same transaction, before the account's row changes: those of every feature's `hide`. Not
    ///   called for an account that is suspended already.
    /// - Throws: `.notFound`.
    package func suspend(
        _ account: String, at now: Timestamp, hiding: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> ChangeResult {
        try ChangeResult(try await store.suspend(account, at: now, hiding: hiding))
    }

    /// Undoes `suspend`. Sessions that have not expired meanwhile work again.
    /// - Parameter showing: further writes in the same transaction: those of every feature's `show`. Not called for an account that is not
    ///   suspended.
    /// - Throws: `.notFound`.
    package func restore(_ account: String, showing: @escaping @Sendable (WriteTransaction) throws -> Void) async throws -> ChangeResult {
        try ChangeResult(try await store.restore(account, showing: showing))
    }

    /// Puts the account on the list of verified accounts, or takes it off.
    /// - Parameters:
    ///   - now: when the operator verified the account; `nil` takes it off the list.
    ///   - also: further writes in the same transaction. Not called when nothing changes.
    /// - Throws: `.notFound`.
    package func setVerified(
        _ account: String, at now: Timestamp?, also: @escaping @Sendable (WriteTransaction) throws -> Void = { _ in }
    ) async throws -> ChangeResult {
        try ChangeResult(try await store.setVerified(account, at: now, also: also))
    }

    /// Makes the account an administrator's, or takes the right away. The change applies from the account's next request on.
    /// - Parameters:
    ///   - administrator: the administrator who makes the change; `nil` for a command.
    ///   - evenLast: whether the right may be taken from the only administrator.
    ///   - also: further writes in the same transaction. Not called when nothing changes.
    /// - Throws: `.notFound`; `.forbidden` when `administrator` has lost the right meanwhile; `.conflict` for a suspended account that would
    ///   become an administrator's; `Problem.lastAdministrator`.
    package func setAdmin(
        _ account: String, _ isAdmin: Bool, by administrator: String?, evenLast: Bool,
        also: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> ChangeResult {
        try ChangeResult(try await store.setAdmin(account, isAdmin, by: administrator, evenLast: evenLast, also: also))
    }

    /// Call it in a write that suspends or closes an account, before the account's row changes. Until the transaction ends, no other
    /// write that calls it can remove an administrator.
    /// - Throws: `Problem.lastAdministrator` when the account is the only administrator's that is not suspended.
    package func requireAnotherAdministrator(than account: String, _ tx: WriteTransaction) throws {
        try AccountStore.requireAnotherAdministrator(than: account, tx)
    }

    /// The account's live sessions, newest first, at most 500.
    /// - Parameter current: the id of the request's own session, which the list marks.
    package func sessions(of account: String, current: String?) async throws -> [SessionList.Session] {
        try await listSessions.sessions(of: account, current: current)
    }

    /// Whether the account exists and is not closed. Until the transaction ends, no other write closes it.
    package func holdOpen(_ account: String, _ tx: WriteTransaction) throws -> Bool {
        try AccountStore.lockStanding(of: account, tx)
        return try isOpen(account, tx)
    }

    /// - Throws: `.notFound`.
    package func summary(id: String) async throws -> AccountSummary { try Self.existing(try await store.summary(id)) }

    /// - Throws: `.notFound`; `.invalid` naming `email`.
    package func summary(email: String) async throws -> AccountSummary {
        try Self.existing(try await store.summary(email: try AccountRules.email(email)))
    }

    /// - Parameter phone: in international form, with or without spaces and punctuation: `+49 170 1234567`.
    /// - Throws: `.notFound`; `.invalid` naming `phone`.
    package func summary(phone: String) async throws -> AccountSummary {
        guard let number = AccountRules.international(phone) else {
            throw Problem(.invalid, "phone must be a number in international form, such as +491701234567.", field: "phone")
        }
        return try Self.existing(try await store.summary(phone: number))
    }

    /// All accounts, newest first.
    package func summaries(_ request: PageRequest<TimeKey>) async throws -> Page<AccountSummary, TimeKey> {
        try await store.summaries(request)
    }

    /// The accounts whose e-mail address begins with `start`, by address.
    package func summaries(
        emailsFrom start: String, _ request: PageRequest<EmailKey>
    ) async throws -> Page<AccountSummary, EmailKey> {
        try await store.summaries(emailsFrom: AccountRules.emailStart(start), request)
    }

    /// The one account with this id, or with this phone number in international form.
    package func summary(matching text: String) async throws -> AccountSummary? {
        if let number = AccountRules.international(text) { return try await store.summary(phone: number) }
        return try await store.summary(text)
    }

    /// Blocks until no other write closes, suspends or restores the account. Call it first in a write that adds something which others see
    /// and which `Feature.hide` would have to hide, for example a membership. Without it, such a row that is written at the same moment
    /// would stay visible.
    /// - Throws: `.unauthenticated` when the account was closed since the request was authenticated; `.suspended`.
    package func requireActive(_ account: String, _ tx: WriteTransaction) throws {
        try AccountStore.lockStanding(of: account, tx)
        guard let found = try tx.first(AccountStore.account(account), Account.init) else { throw Problem.accountGone }
        try found.requireActive()
    }

    package static let noSuchAccount = Problem(.notFound, "There is no such account.")

    private static func existing(_ account: AccountSummary?) throws -> AccountSummary {
        guard let account else { throw noSuchAccount }
        return account
    }
}
