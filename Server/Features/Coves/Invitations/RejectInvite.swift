import Core
import KeepsakeWire
import Web

/// `DELETE /reject-invite`
struct RejectInvite: Sendable {
    let store: InviteStore

    func handle(_ input: InviteInput, _ context: WebContext) async throws -> MessageResponse {
        let account = try context.requireViewer().accountID
        try await store.reject(CoveRules.id(input.inviteId, field: "inviteId"), by: account)
        return MessageResponse(message: "The invitation was rejected.")
    }
}
