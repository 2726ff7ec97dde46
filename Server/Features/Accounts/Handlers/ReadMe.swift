internal import Core
internal import KeepsakeWire
internal import Web

/// `GET /user/me`
struct ReadMe: Sendable {
    let store: AccountStore

    func callAsFunction(_ viewer: Viewer) async throws -> User {
        guard let account = try await store.account(viewer.accountID) else { throw Problem.accountGone }
        return account.user
    }
}
