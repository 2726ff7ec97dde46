import AccountData
import Accounts
import Testing

@testable import keepsake

/// Actions of the operator on accounts.
extension TestServer {
    func administrator(_ name: String = "operator") async throws -> Person {
        let issued = try await backend.accounts.issueToken(email: "\(name)@example.org", isAdmin: true)
        return Person(id: issued.userID, token: issued.accessToken)
    }

    func suspend(_ account: String) async throws { try await perform(.suspend, on: account) }

    func restore(_ account: String) async throws { try await perform(.restore, on: account) }

    private func perform(_ action: AccountOperations.Action, on account: String) async throws {
        let done = try await backend.features[AccountDataFeature.self].operations.perform(action, on: account)
        try #require(done.isChanged, "the account was in that state already")
    }
}
