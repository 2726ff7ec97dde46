import Core
import KeepsakeWire
import Web

/// `POST /leave-cove`
struct LeaveCove: Sendable {
    let store: CoveStore

    func handle(_ input: CoveInput, _ context: WebContext) async throws -> MessageResponse {
        let account = try context.requireViewer().accountID
        try await store.leave(CoveRules.id(input.coveId, field: "coveId"), account)
        return MessageResponse(message: "You have left the cove.")
    }
}
