package import Accounts
import Core
import Database
import FeatureKit

/// The actions of the operator on accounts, for `keepsake users` and `/admin/users`. It uses only the database, so a command can run it
/// while the server runs.
package struct AccountOperations: Sendable {
    package enum Action: String, Sendable, CaseIterable {
        case suspend, restore, verify, unverify
        /// Makes the account's owner an administrator, and takes that right away.
        case promote, demote
    }

    let accounts: AccountsFeature
    let visibility: AccountVisibility
    let clock: WallClock
    let log: OperatorLog

    /// Performs an action. If the account is in the requested state already, the action succeeds without a change.
    /// - Parameters:
    ///   - account: the account's id.
    ///   - evenLast: whether the only administrator may be suspended or demoted. `.program` may always do that.
    /// - Throws: `.notFound`; `.conflict` when the owner of a suspended account would become an administrator; `.forbidden` when `who`
    ///   promotes or demotes, and is no longer an administrator; `Problem.lastAdministrator`.
    package func perform(
        _ action: Action, on account: String, by who: Operator = .program, evenLast: Bool = false
    ) async throws -> AccountsFeature.ChangeResult {
        let record: @Sendable (WriteTransaction) throws -> Void = { [log] tx in
            try log.record(action.rawValue, on: account, by: who, tx)
        }
        let done = try await change(account, action, by: who, evenLast: evenLast || who == .program, record)
        log.write(action.rawValue, on: done.account.id, by: who, isChanged: done.isChanged)
        return done
    }

    private func change(
        _ account: String, _ action: Action, by who: Operator, evenLast: Bool,
        _ record: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws -> AccountsFeature.ChangeResult {
        switch action {
        case .suspend:
            return try await visibility.inTurn {
                try await accounts.suspend(account, at: clock.now) { [accounts, visibility] tx in
                    if !evenLast { try accounts.requireAnotherAdministrator(than: account, tx) }
                    try visibility.hide(account, .suspended, tx)
                    try record(tx)
                }
            }
        case .restore:
            return try await visibility.inTurn {
                try await accounts.restore(account) { [visibility] tx in
                    try visibility.show(account, tx)
                    try record(tx)
                }
            }
        case .verify: return try await accounts.setVerified(account, at: clock.now, also: record)
        case .unverify: return try await accounts.setVerified(account, at: nil, also: record)
        case .promote, .demote:
            var administrator: String?
            if case .administrator(let id) = who { administrator = id }
            return try await accounts.setAdmin(account, action == .promote, by: administrator, evenLast: evenLast, also: record)
        }
    }

    /// The ways in which a command can name an account.
    package enum Name: Sendable, Equatable {
        case id(String), email(String), phone(String)
    }

    /// - Throws: `.notFound`; `.invalid` naming `email` or `phone`.
    package func account(_ name: Name) async throws -> AccountSummary {
        switch name {
        case .id(let id): try await accounts.summary(id: id)
        case .email(let email): try await accounts.summary(email: email)
        case .phone(let phone): try await accounts.summary(phone: phone)
        }
    }

    /// A page of the accounts that `GET /admin/users` lists.
    /// - Parameters:
    ///   - query: the route's search text; `nil` for all accounts, newest first.
    ///   - last: the id of the last account of the previous page; `nil` for the first page.
    /// - Throws: `.notFound` when the account `last` does not exist.
    package func find(_ query: String?, after last: String? = nil, limit: Int) async throws -> [AccountSummary] {
        var start: AccountSummary?
        if let last { start = try await accounts.summary(id: last) }
        guard let query else {
            let key = start.map { TimeKey(at: $0.createdAt, id: $0.id) }
            return try await accounts.summaries(PageRequest(after: key, limit: limit)).rows
        }
        if let account = try await accounts.summary(matching: query) { return last == nil ? [account] : [] }
        let key = start.flatMap { EmailKey(cursorParts: [$0.email ?? ""]) }
        return try await accounts.summaries(emailsFrom: query, PageRequest(after: key, limit: limit)).rows
    }
}
