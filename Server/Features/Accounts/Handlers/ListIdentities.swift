internal import Core
internal import KeepsakeWire
internal import Web

/// `GET /auth/identities`
struct ListIdentities: Sendable {
    let store: AccountStore

    func handle(_ input: Empty, _ context: WebContext) async throws -> IdentityList {
        IdentityList(try await store.identities(of: context.requireViewer().accountID))
    }
}
