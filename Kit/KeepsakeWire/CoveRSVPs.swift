public import Foundation

/// Whether a person comes to an event.
public struct RSVPStatus: WireWord {
    public static let going = RSVPStatus(rawValue: "GOING")
    public static let maybe = RSVPStatus(rawValue: "MAYBE")
    public static let notGoing = RSVPStatus(rawValue: "NOT_GOING")
    public static let allCases: [RSVPStatus] = [.going, .maybe, .notGoing]

    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

public struct UpdateRSVPInput: Codable, Sendable {
    public var eventId: String
    public var status: RSVPStatus

    public init(eventId: String, status: RSVPStatus) {
        self.eventId = eventId
        self.status = status
    }
}

public struct RSVPResponse: Codable, Sendable, Equatable {
    public var message: String
    public var rsvp: Fields

    public init(message: String, rsvp: Fields) {
        self.message = message
        self.rsvp = rsvp
    }

    public struct Fields: Codable, Sendable, Equatable {
        public var id: String
        public var status: RSVPStatus
        public var eventId: String
        /// The account's id.
        public var userId: String
        /// When the person first answered.
        public var createdAt: Date

        public init(id: String, status: RSVPStatus, eventId: String, userId: String, createdAt: Date) {
            self.id = id
            self.status = status
            self.eventId = eventId
            self.userId = userId
            self.createdAt = createdAt
        }
    }
}

/// A person's RSVP, as the response to `/event` shows it.
public struct RSVPData: Codable, Sendable, Equatable {
    public var id: String
    public var status: RSVPStatus
    /// The account's id.
    public var userId: String
    /// Empty before the person has onboarded.
    public var userName: String
    @OrNull public var profilePhotoUrl: String?
    /// When the person first answered.
    public var createdAt: Date

    public init(id: String, status: RSVPStatus, userId: String, userName: String, profilePhotoUrl: String?, createdAt: Date) {
        self.id = id
        self.status = status
        self.userId = userId
        self.userName = userName
        self.profilePhotoUrl = profilePhotoUrl
        self.createdAt = createdAt
    }
}

public struct CoveGuestsInput: Codable, Sendable {
    public var eventId: String
    /// Lists only RSVPs with this status.
    public var status: RSVPStatus?
    /// `nextCursor` of the previous page, or `id` or `userId` of its last row.
    public var cursor: String?
    /// 1…50, default 10; more than 50 means 50.
    public var limit: Int?

    public init(eventId: String, status: RSVPStatus? = nil, cursor: String? = nil, limit: Int? = nil) {
        self.eventId = eventId
        self.status = status
        self.cursor = cursor
        self.limit = limit
    }
}

/// The guest list. Unlike the other lists of this surface, it has no `pagination` object: the two fields are at the root.
public struct CoveGuestsResponse: Codable, Sendable, Equatable {
    public var members: [Guest]
    public var hasMore: Bool
    @OrNull public var nextCursor: String?

    public init(members: [Guest], nextCursor: String?) {
        self.members = members
        hasMore = nextCursor != nil
        self.nextCursor = nextCursor
    }

    /// One person on the guest list.
    public struct Guest: Codable, Sendable, Equatable {
        /// The RSVP's own id.
        public var id: String
        /// The account's id.
        public var userId: String
        /// Empty before the person has onboarded.
        public var userName: String
        @OrNull public var profilePhotoUrl: String?
        public var status: RSVPStatus
        /// When the person first answered.
        public var joinedAt: Date

        public init(id: String, userId: String, userName: String, profilePhotoUrl: String?, status: RSVPStatus, joinedAt: Date) {
            self.id = id
            self.userId = userId
            self.userName = userName
            self.profilePhotoUrl = profilePhotoUrl
            self.status = status
            self.joinedAt = joinedAt
        }
    }
}
