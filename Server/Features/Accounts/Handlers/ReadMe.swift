internal import Core
internal import KeepsakeWire
internal import Web

/// `GET /user/me`
struct ReadMe: Sendable {
    let store: AccountStore

    func handle(_ input: Empty, _ context: WebContext) async throws -> User { try await self(context.requireViewer()) }

    func callAsFunction(_ viewer: Viewer) async throws -> User {
        guard let account = try await store.account(viewer.accountID) else { throw Problem.accountGone }
        return account.user
    }
}
