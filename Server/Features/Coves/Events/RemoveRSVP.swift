import Core
import KeepsakeWire
import Web

/// `POST /remove-event-rsvp`: takes the caller's answer back.
struct RemoveRSVP: Sendable {
    let store: EventStore

    func handle(_ input: CoveEventInput, _ context: WebContext) async throws -> MessageResponse {
        let account = try context.requireViewer().accountID
        try await store.removeRSVP(of: account, from: try CoveRules.id(input.eventId, field: "eventId"))
        return MessageResponse(message: "Your answer was removed.")
    }
}
