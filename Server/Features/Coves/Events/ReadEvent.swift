import Core
import KeepsakeWire
import Web

/// `GET /event`: an event with its first guests.
struct ReadEvent: Sendable {
    let store: EventStore
    let presenter: EventPresenter

    func handle(_ input: CoveEventQuery, _ context: WebContext) async throws -> CoveEventResponse {
        let account = try context.requireViewer().accountID
        let (card, guests) = try await store.details(try CoveRules.id(input.eventId, field: "eventId"), seenBy: account)
        return CoveEventResponse(event: presenter.details(card, guests, seenBy: account))
    }
}
