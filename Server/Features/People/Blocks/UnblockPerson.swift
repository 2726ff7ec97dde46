import Core
import KeepsakeWire
import Web

/// `POST /unblock`. Nobody is notified, and a friendship that the block ended does not come back.
struct UnblockPerson: Sendable {
    let store: BlockStore

    func handle(_ input: BlockInput, _ context: WebContext) async throws -> MessageResponse {
        let viewer = try context.requireViewer().accountID
        try await store.unblock(try BlockRules.person(input.userId, by: viewer), by: viewer)
        return MessageResponse(message: "You do not block this person any more.")
    }
}
