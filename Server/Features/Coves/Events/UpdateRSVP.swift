import Core
import KeepsakeWire
import Web

/// `POST /update-event-rsvp`: says whether the caller comes.
struct UpdateRSVP: Sendable {
    let store: EventStore

    func handle(_ input: UpdateRSVPInput, _ context: WebContext) async throws -> RSVPResponse {
        let account = try context.requireViewer().accountID
        let event = try CoveRules.id(input.eventId, field: "eventId")
        let rsvp = try await store.setRSVP(input.status, of: account, to: event)
        return RSVPResponse(message: "Your answer was stored.", rsvp: rsvp.data)
    }
}
