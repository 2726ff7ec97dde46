import Live

/// The payload of this feature's events. It only identifies the moment; clients read its current state from the API.
struct MomentEvent: Codable, Sendable {
    let id: String

    init(_ moment: Moment) { id = moment.id }
}

extension Moment.Kind {
    var added: Event.Kind {
        switch self {
        case .mood: "mood.added"
        case .memory: "memory.added"
        case .event: "event.added"
        }
    }

    var changed: Event.Kind {
        switch self {
        case .mood: "mood.changed"
        case .memory: "memory.changed"
        case .event: "event.changed"
        }
    }

    var deleted: Event.Kind {
        switch self {
        case .mood: "mood.deleted"
        case .memory: "memory.deleted"
        case .event: "event.deleted"
        }
    }
}
