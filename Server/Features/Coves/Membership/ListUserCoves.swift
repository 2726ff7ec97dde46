import Core
import KeepsakeWire
import Web

/// `GET /user-coves`: the caller's coves, in the order in which the caller joined them.
struct ListUserCoves: Sendable {
    let store: CoveStore
    let presenter: CovePresenter

    func handle(_ input: Empty, _ context: WebContext) async throws -> UserCoves {
        let account = try context.requireViewer().accountID
        return UserCoves(coves: try await store.coves(of: account).map(presenter.summary))
    }
}
