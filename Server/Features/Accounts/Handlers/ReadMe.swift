internal import Core
internal import KeepsakeWire
internal import Web

/// `GET /user/me`
struct ReadMe: Sendable {
    let store: AccountStore
    let files: (any AccountFiles)?

    func handle(_ input: Empty, _ context: WebContext) async throws -> User { try await self(context.requireViewer()) }

    func callAsFunction(_ viewer: Viewer) async throws -> User {
        guard let account = try await store.ownAccount(viewer.accountID, files) else { throw Problem.accountGone }
        return account.user
    }
}
