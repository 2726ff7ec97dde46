import Core
import KeepsakeWire
import Web

/// `POST /delete-event`: ends an event.
struct DeleteEvent: Sendable {
    let store: EventStore

    func handle(_ input: CoveEventInput, _ context: WebContext) async throws -> MessageResponse {
        let account = try context.requireViewer().accountID
        try await store.end(try CoveRules.id(input.eventId, field: "eventId"), by: account)
        return MessageResponse(message: "The event was deleted.")
    }
}
