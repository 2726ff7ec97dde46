package import Core
package import Database
package import KeepsakeWire
internal import Web

/// The operations with which the operator changes accounts, on the command line or at `/admin/users`. They work while the server runs.
/// `AccountData` calls them, because suspending an account involves every feature.
extension AccountsFeature {
    /// The result of an operator's change to an account.
    package struct ChangeResult: Sendable {
        /// The account after the change.
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
    /// - Parameter hiding: runs every feature's `hide` in the same transaction, before the account's row changes. Not called for an account
    ///   that is suspended already.
    /// - Throws: `.notFound`.
    package func suspend(
        _ account: String, at now: Timestamp, hiding: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> ChangeResult {
        try ChangeResult(try await store.suspend(account, at: now, hiding: hiding))
    }

    /// Undoes `suspend`. Sessions that have not expired meanwhile work again.
    /// - Parameter showing: runs every feature's `show` in the same transaction. Not called for an account that is not suspended.
    /// - Throws: `.notFound`.
    package func restore(_ account: String, showing: @escaping @Sendable (WriteTransaction) throws -> Void) async throws -> ChangeResult {
        try ChangeResult(try await store.restore(account, showing: showing))
    }

    /// Puts the account on the list of verified accounts, or takes it off.
    /// - Parameters:
    ///   - now: when the operator verified the account; `nil` takes it off the list.
    ///   - also: makes further writes in the same transaction. Not called when nothing changes.
    /// - Throws: `.notFound`.
    package func setVerified(
        _ account: String, at now: Timestamp?, also: @escaping @Sendable (WriteTransaction) throws -> Void = { _ in }
    ) async throws -> ChangeResult {
        try ChangeResult(try await store.setVerified(account, at: now, also: also))
    }

    /// Makes the account an administrator, or takes that right away. The change applies from the account's next request on.
    /// - Parameters:
    ///   - administrator: the administrator who makes the change; `nil` for a command.
    ///   - evenLast: whether the right may be taken from the only administrator.
    ///   - also: makes further writes in the same transaction. Not called when nothing changes.
    /// - Throws: `.notFound`; `.forbidden` when `administrator` has lost the right meanwhile; `.conflict` when a suspended account would
    ///   become an administrator; `Problem.lastAdministrator` unless `evenLast`.
    package func setAdmin(
        _ account: String, _ isAdmin: Bool, by administrator: String?, evenLast: Bool,
        also: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> ChangeResult {
        try ChangeResult(try await store.setAdmin(account, isAdmin, by: administrator, evenLast: evenLast, also: also))
    }

    /// Call this in a write that suspends or closes an account, before the account's row changes. Until the transaction ends, no other
    /// write that calls it can remove an administrator.
    /// - Throws: `Problem.lastAdministrator` when the account is the only administrator that is not suspended.
    package func requireAnotherAdministrator(than account: String, _ tx: WriteTransaction) throws {
        try AccountStore.requireAnotherAdministrator(than: account, tx)
    }

    /// Returns at most 500 of the account's live sessions, newest first.
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

    /// The accounts whose e-mail address begins with `start`, in the order of their addresses.
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
    /// and which `Feature.hide` would have to hide, for example a membership. Without this call, a row that is written while another
    /// request suspends the account would stay visible.
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
