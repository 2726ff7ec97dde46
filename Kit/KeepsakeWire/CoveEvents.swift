public import Foundation
import HTTPTypes

/// Surface 1: the events of coves and their RSVPs. JSON keys are in camelCase; paths have no common prefix. `CoveCalendarEndpoints` has the
/// endpoints of the calendar.
public enum CoveEventEndpoints {
    /// For the cove's creator and its ADMINs. The caller becomes the host. `coverPhoto` is a picture in base64; the server decodes it as it
    /// arrives.
    public static let create = CreationEndpoint<CreateCoveEventInput, CreatedCoveEvent>(
        .post, "/create-event", surface: .coves, body: .jsonWithFiles())
    /// For the host and ADMINs. `coverPhoto` has the same format as for `create`. Absent fields keep their value; `null` removes the
    /// description or the cover.
    public static let edit = Endpoint<EditCoveEventInput, CreatedCoveEvent>(
        .post, "/edit-event", surface: .coves, body: .jsonWithFiles())
    /// For the host only; for an ADMIN if the host is no longer a member. It deletes the event.
    public static let delete = Endpoint<CoveEventInput, MessageResponse>(
        .post, "/delete-event", surface: .coves, body: .json(maxByteCount: 16_384))
    /// For members only.
    public static let read = Endpoint<CoveEventQuery, CoveEventResponse>(.get, "/event", surface: .coves)
    /// The guest list, newest first. For members only.
    public static let guests = Endpoint<CoveGuestsInput, CoveGuestsResponse>(.get, "/event-members", surface: .coves)
    /// Says whether the caller comes. For members only. Repeating it changes nothing.
    public static let updateRSVP = Endpoint<UpdateRSVPInput, RSVPResponse>(
        .post, "/update-event-rsvp", surface: .coves, body: .json(maxByteCount: 16_384))
    /// Removes the caller's RSVP. For members only. Repeating it changes nothing.
    public static let removeRSVP = Endpoint<CoveEventInput, MessageResponse>(
        .post, "/remove-event-rsvp", surface: .coves, body: .json(maxByteCount: 16_384))
    /// The events of a cove, past ones included, by date, soonest first. For members only.
    public static let list = Endpoint<CoveEventsInput, CoveEventsResponse>(.get, "/cove-events", surface: .coves)
}

public struct CreateCoveEventInput: Codable, Sendable {
    public var coveId: String
    /// 1…200 characters.
    public var name: String
    /// At most 5,000 characters.
    public var description: String?
    /// A time in the years 1…9999, with millisecond precision.
    public var date: Date
    /// 1…200 characters.
    public var location: String

    public init(coveId: String, name: String, description: String? = nil, date: Date, location: String) {
        self.coveId = coveId
        self.name = name
        self.description = description
        self.date = date
        self.location = location
    }
}

/// Changes to an event. The fields have the limits of `CreateCoveEventInput`.
public struct EditCoveEventInput: Codable, Sendable {
    public var eventId: String
    /// Cannot be cleared.
    public var name: Change<String>
    public var description: Change<String>
    /// Cannot be cleared.
    public var date: Change<Date>
    /// Cannot be cleared.
    public var location: Change<String>
    /// `.clear` removes the cover, unless the request contains a new one.
    public var coverPhoto: Change<String>

    public init(
        eventId: String, name: Change<String> = .unchanged, description: Change<String> = .unchanged, date: Change<Date> = .unchanged,
        location: Change<String> = .unchanged, coverPhoto: Change<String> = .unchanged
    ) {
        self.eventId = eventId
        self.name = name
        self.description = description
        self.date = date
        self.location = location
        self.coverPhoto = coverPhoto
    }
}

/// An event, in the responses to its creation and to changes of it.
public struct CreatedCoveEvent: Codable, Sendable, Equatable {
    public var message: String
    public var event: Fields

    public init(message: String, event: Fields) {
        self.message = message
        self.event = event
    }

    public struct Fields: Codable, Sendable, Equatable {
        public var id: String
        public var name: String
        @OrNull public var description: String?
        public var date: Date
        public var location: String
        public var coveId: String
        public var createdAt: Date

        public init(id: String, name: String, description: String?, date: Date, location: String, coveId: String, createdAt: Date) {
            self.id = id
            self.name = name
            self.description = description
            self.date = date
            self.location = location
            self.coveId = coveId
            self.createdAt = createdAt
        }
    }
}

/// The body of a request about one event.
public struct CoveEventInput: Codable, Sendable {
    public var eventId: String

    public init(eventId: String) { self.eventId = eventId }
}

/// The query of a request about one event.
public struct CoveEventQuery: Codable, Sendable {
    public var eventId: String

    public init(eventId: String) { self.eventId = eventId }
}

public struct CoveEventResponse: Codable, Sendable, Equatable {
    public var event: CoveEventDetails

    public init(event: CoveEventDetails) { self.event = event }
}

public struct CoveEventDetails: Codable, Sendable, Equatable {
    public var id: String
    public var name: String
    @OrNull public var description: String?
    public var date: Date
    public var location: String
    public var coveId: String
    public var host: Host
    public var cove: CoveSummary
    /// The caller's own RSVP; `nil` if there is none.
    @OrNull public var rsvpStatus: RSVPStatus?
    /// The number of people who come, without closed and suspended accounts.
    public var goingCount: Int
    /// At most 10 RSVPs, GOING first, without people whom the caller may not see.
    public var rsvps: [RSVPData]
    @OrNull public var coverPhoto: CoverPhoto?
    /// Whether the caller is the host.
    public var isHost: Bool
    public var createdAt: Date

    public struct Host: Codable, Sendable, Equatable {
        /// Empty when the host's account is suspended.
        public var id: String
        /// Also empty when the host and the caller have blocked each other, or the host has not onboarded.
        public var name: String

        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    public init(
        id: String, name: String, description: String?, date: Date, location: String, coveId: String, host: Host, cove: CoveSummary,
        rsvpStatus: RSVPStatus?, goingCount: Int, rsvps: [RSVPData], coverPhoto: CoverPhoto?, isHost: Bool, createdAt: Date
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.date = date
        self.location = location
        self.coveId = coveId
        self.host = host
        self.cove = cove
        self.rsvpStatus = rsvpStatus
        self.goingCount = goingCount
        self.rsvps = rsvps
        self.coverPhoto = coverPhoto
        self.isHost = isHost
        self.createdAt = createdAt
    }
}

public struct CoveEventsInput: Codable, Sendable {
    public var coveId: String
    /// `nextCursor` of the previous page, or the id of its last event.
    public var cursor: String?
    /// 1…50, default 10; more than 50 means 50.
    public var limit: Int?

    public init(coveId: String, cursor: String? = nil, limit: Int? = nil) {
        self.coveId = coveId
        self.cursor = cursor
        self.limit = limit
    }
}

public struct CoveEventsResponse: Codable, Sendable, Equatable {
    public var events: [CoveEventData]
    public var pagination: Pagination

    public init(events: [CoveEventData], pagination: Pagination) {
        self.events = events
        self.pagination = pagination
    }
}

/// An event in a list.
public struct CoveEventData: Codable, Sendable, Equatable {
    public var id: String
    public var name: String
    @OrNull public var description: String?
    public var date: Date
    public var location: String
    public var coveId: String
    public var coveName: String
    @OrNull public var coveCoverPhoto: CoverPhoto?
    /// Empty when the host's account is suspended.
    public var hostId: String
    /// Also empty when the host and the caller have blocked each other, or the host has not onboarded.
    public var hostName: String
    /// The caller's own RSVP; `nil` if there is none.
    @OrNull public var rsvpStatus: RSVPStatus?
    /// The number of people who come, without closed and suspended accounts.
    public var goingCount: Int
    public var createdAt: Date
    @OrNull public var coverPhoto: CoverPhoto?

    public init(
        id: String, name: String, description: String?, date: Date, location: String, coveId: String, coveName: String,
        coveCoverPhoto: CoverPhoto?, hostId: String, hostName: String, rsvpStatus: RSVPStatus?, goingCount: Int, createdAt: Date,
        coverPhoto: CoverPhoto?
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.date = date
        self.location = location
        self.coveId = coveId
        self.coveName = coveName
        self.coveCoverPhoto = coveCoverPhoto
        self.hostId = hostId
        self.hostName = hostName
        self.rsvpStatus = rsvpStatus
        self.goingCount = goingCount
        self.createdAt = createdAt
        self.coverPhoto = coverPhoto
    }
}
