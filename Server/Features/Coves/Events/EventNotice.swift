import Live

extension Event.Kind {
    static var coveEventAdded: Event.Kind { "cove.event.added" }
    static var coveEventChanged: Event.Kind { "cove.event.changed" }
    static var coveEventEnded: Event.Kind { "cove.event.ended" }
    static var coveRSVP: Event.Kind { "cove.rsvp" }
}

/// The payload of this part's live events: which cove, and which of its events. Clients read the current state from the API.
struct EventNotice: Codable, Sendable {
    let coveId: String
    let eventId: String
}
