internal import Core
internal import KeepsakeWire
internal import Web

/// `PATCH /user/me`
struct UpdateMe: Sendable {
    let store: AccountStore

    func handle(_ input: UpdateMeInput, _ context: WebContext) async throws -> User { try await self(input, context.requireViewer()) }

    /// - Throws: `.invalid` naming `name`.
    func callAsFunction(_ input: UpdateMeInput, _ viewer: Viewer) async throws -> User {
        let account =
            switch input.name {
            case .unchanged: try await store.account(viewer.accountID)
            case .clear: try await store.rename(viewer.accountID, to: nil)
            case .set(let name): try await store.rename(viewer.accountID, to: AccountRules.name(name))
            }
        guard let account else { throw Problem.accountGone }
        return account.user
    }
}
