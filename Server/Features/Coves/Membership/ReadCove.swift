import Core
import KeepsakeWire
import Web

/// `GET /cove`: only for members.
struct ReadCove: Sendable {
    let store: CoveStore
    let presenter: CovePresenter

    func handle(_ input: CoveQuery, _ context: WebContext) async throws -> CoveResponse {
        let account = try context.requireViewer().accountID
        let (membership, creator) = try await store.details(CoveRules.id(input.coveId, field: "coveId"), for: account)
        return CoveResponse(cove: presenter.details(membership, creator: creator))
    }
}
