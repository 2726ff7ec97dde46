package import Accounts
import Core
import FeatureKit

/// What the operator does to accounts, by `keepsake users` and by `/admin/users`. It uses only the database, so a command can run it while
/// the server runs.
package struct AccountOperations: Sendable {
    package enum Action: String, Sendable, CaseIterable {
        case suspend, restore, verify, unverify
    }

    let accounts: AccountsFeature
    let visibility: AccountVisibility
    let clock: WallClock

    /// Doing it again changes nothing and succeeds.
    /// - Parameter account: its id.
    /// - Throws: `.notFound`.
    package func perform(_ action: Action, on account: String) async throws -> AccountsFeature.Standing {
        switch action {
        case .suspend:
            try await accounts.suspend(account, at: clock.now) { [visibility] tx in try visibility.hide(account, .suspended, tx) }
        case .restore: try await accounts.restore(account) { [visibility] tx in try visibility.show(account, tx) }
        case .verify: try await accounts.setVerified(account, at: clock.now)
        case .unverify: try await accounts.setVerified(account, at: nil)
        }
    }

    /// How a command names an account.
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
}
