public import Foundation

// Invitations to coves. Their endpoints are in Coves.swift.

public struct SendInviteInput: Codable, Sendable {
    public var coveId: String
    /// 1…200 numbers, as people write them. The server reads a number without a country code as a number of the caller's country.
    public var phoneNumbers: [String]
    /// At most 500 characters.
    public var message: String?

    public init(coveId: String, phoneNumbers: [String], message: String? = nil) {
        self.coveId = coveId
        self.phoneNumbers = phoneNumbers
        self.message = message
    }
}

public struct SentInvites: Codable, Sendable, Equatable {
    public var message: String
    public var invites: [Sent]
    /// The numbers that got no invitation; empty if all numbers got one.
    public var errors: [Refused]

    public init(message: String, invites: [Sent], errors: [Refused]) {
        self.message = message
        self.invites = invites
        self.errors = errors
    }

    public struct Sent: Codable, Sendable, Equatable {
        public var id: String
        /// The number as the request contained it.
        public var phoneNumber: String
        public var createdAt: Date

        public init(id: String, phoneNumber: String, createdAt: Date) {
            self.id = id
            self.phoneNumber = phoneNumber
            self.createdAt = createdAt
        }
    }

    public struct Refused: Codable, Sendable, Equatable {
        /// The number as the request contained it.
        public var phoneNumber: String
        /// For a number that has an invitation to this cove, the text contains `already exists`; for a member's number, `already a member`.
        /// The existing app looks for these words.
        public var error: String

        public init(phoneNumber: String, error: String) {
            self.phoneNumber = phoneNumber
            self.error = error
        }
    }
}

/// The body of a request about one invitation.
public struct InviteInput: Codable, Sendable {
    public var inviteId: String

    public init(inviteId: String) { self.inviteId = inviteId }
}

public struct InviteList: Codable, Sendable, Equatable {
    public var invites: [Invite]

    public init(invites: [Invite]) { self.invites = invites }
}

public struct InviteResponse: Codable, Sendable, Equatable {
    public var message: String
    public var invite: Invite

    public init(message: String, invite: Invite) {
        self.message = message
        self.invite = invite
    }
}

/// An invitation, as the invited person sees it.
public struct Invite: Codable, Sendable, Equatable {
    public var id: String
    @OrNull public var message: String?
    public var createdAt: Date
    /// Whether the invited person has opened the invitation.
    public var isOpened: Bool
    public var cove: InvitingCove
    public var sentBy: Sender

    public struct InvitingCove: Codable, Sendable, Equatable {
        public var id: String
        public var name: String
        @OrNull public var description: String?
        public var location: String
        @OrNull public var coverPhotoId: String?
        @OrNull public var coverPhotoUrl: String?

        public init(id: String, name: String, description: String?, location: String, coverPhotoId: String?, coverPhotoUrl: String?) {
            self.id = id
            self.name = name
            self.description = description
            self.location = location
            self.coverPhotoId = coverPhotoId
            self.coverPhotoUrl = coverPhotoUrl
        }
    }

    public struct Sender: Codable, Sendable, Equatable {
        /// The account's id.
        public var id: String
        /// Empty before the person has onboarded.
        public var name: String
        @OrNull public var profilePhotoId: String?
        @OrNull public var profilePhotoUrl: String?

        public init(id: String, name: String, profilePhotoId: String?, profilePhotoUrl: String?) {
            self.id = id
            self.name = name
            self.profilePhotoId = profilePhotoId
            self.profilePhotoUrl = profilePhotoUrl
        }
    }

    public init(id: String, message: String?, createdAt: Date, isOpened: Bool, cove: InvitingCove, sentBy: Sender) {
        self.id = id
        self.message = message
        self.createdAt = createdAt
        self.isOpened = isOpened
        self.cove = cove
        self.sentBy = sentBy
    }
}

public struct SentInvitesInput: Codable, Sendable {
    /// Lists only invitations to this cove, of which the caller must be a member; `nil` for invitations to all coves.
    public var coveId: String?
    /// `nextCursor` of the previous page, or the id of its last invitation.
    public var cursor: String?
    /// 1…50, default 10; more than 50 means 50.
    public var limit: Int?

    public init(coveId: String? = nil, cursor: String? = nil, limit: Int? = nil) {
        self.coveId = coveId
        self.cursor = cursor
        self.limit = limit
    }
}

public struct SentInvitesPage: Codable, Sendable, Equatable {
    public var invites: [Sent]
    public var pagination: Pagination

    public init(invites: [Sent], pagination: Pagination) {
        self.invites = invites
        self.pagination = pagination
    }

    public struct Sent: Codable, Sendable, Equatable {
        public var id: String
        /// The invited number in E.164 format.
        public var phone: String
        public var createdAt: Date
        public var isOpened: Bool

        public init(id: String, phone: String, createdAt: Date, isOpened: Bool) {
            self.id = id
            self.phone = phone
            self.createdAt = createdAt
            self.isOpened = isOpened
        }
    }
}
