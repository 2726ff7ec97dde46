import Core
import KeepsakeWire
import Web

/// `POST /delete-cove`: only for the creator. Nobody sees the cove from then on; its rows are deleted later.
struct DeleteCove: Sendable {
    let store: CoveStore

    func handle(_ input: CoveInput, _ context: WebContext) async throws -> MessageResponse {
        let account = try context.requireViewer().accountID
        try await store.delete(CoveRules.id(input.coveId, field: "coveId"), by: account)
        return MessageResponse(message: "The cove was deleted.")
    }
}
