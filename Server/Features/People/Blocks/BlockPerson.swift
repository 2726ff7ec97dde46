import Core
import KeepsakeWire
import Web

/// `POST /block`: hides the caller and another person from each other. Nobody is notified.
struct BlockPerson: Sendable {
    let store: BlockStore

    func handle(_ input: BlockInput, _ context: WebContext) async throws -> MessageResponse {
        let viewer = try context.requireViewer().accountID
        try await store.block(try BlockRules.person(input.userId, by: viewer), by: viewer)
        return MessageResponse(message: "You have blocked this person.")
    }
}
