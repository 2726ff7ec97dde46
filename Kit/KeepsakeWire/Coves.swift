public import Foundation
import HTTPTypes

/// Surface 1: coves and their members. JSON keys are in camelCase; paths have no common prefix.
public enum CoveEndpoints {
    /// For verified users only. The caller becomes the creator and an ADMIN. `coverPhoto` is a picture in base64; the server decodes it as
    /// it arrives.
    public static let create = CreationEndpoint<CreateCoveInput, CreatedCove>(
        .post, "/create-cove", surface: .coves, body: .jsonWithFiles())
    /// For members only.
    public static let read = Endpoint<CoveQuery, CoveResponse>(.get, "/cove", surface: .coves)
    /// The caller's coves, in the order in which the caller joined them. The list has no pages: an account can be a member of at most 1,000
    /// coves.
    public static let list = Endpoint<Empty, UserCoves>(.get, "/user-coves", surface: .coves)
    /// The members, newest first. For members only.
    public static let members = Endpoint<CoveMembersInput, CoveMembersResponse>(.get, "/cove-members", surface: .coves)
    public static let join = CreationEndpoint<CoveInput, MembershipResponse>(
        .post, "/join-cove", surface: .coves, body: .json(maxByteCount: 16_384))
    public static let leave = Endpoint<CoveInput, MessageResponse>(
        .post, "/leave-cove", surface: .coves, body: .json(maxByteCount: 16_384))
    /// For ADMINs only. `coverPhoto` has the same format as for `create`. Absent fields keep their value; `null` removes the description or
    /// the cover.
    public static let edit = Endpoint<EditCoveInput, CreatedCove>(.post, "/edit-cove", surface: .coves, body: .jsonWithFiles())
    /// For the creator only.
    public static let delete = Endpoint<CoveInput, MessageResponse>(
        .post, "/delete-cove", surface: .coves, body: .json(maxByteCount: 16_384))
    /// For ADMINs only. The person can return only by invitation.
    public static let removeMember = Endpoint<CoveMemberInput, MessageResponse>(
        .post, "/remove-member", surface: .coves, body: .json(maxByteCount: 16_384))
    /// For the creator only.
    public static let setRole = Endpoint<CoveRoleInput, MembershipResponse>(
        .post, "/cove-role", surface: .coves, body: .json(maxByteCount: 16_384))
    /// People who share a cove with the caller, except friends and people with whom a friend request is pending. People with the most
    /// shared coves come first.
    public static let recommendedFriends = Endpoint<RecommendedFriendsInput, RecommendedFriends>(
        .get, "/recommended-friends", surface: .coves)
}

/// Surface 1: invitations to coves. An invitation goes to a phone number and is valid for 90 days.
public enum CoveInvitationEndpoints {
    /// For ADMINs only.
    public static let send = CreationEndpoint<SendInviteInput, SentInvites>(
        .post, "/send-invite", surface: .coves, body: .json(maxByteCount: 65_536))
    /// The invitations to the caller's phone number, newest first. The list has no pages: a number can have at most 100 invitations.
    public static let list = Endpoint<Empty, InviteList>(.get, "/invites", surface: .coves)
    public static let open = Endpoint<InviteInput, InviteResponse>(
        .put, "/open-invite", surface: .coves, body: .json(maxByteCount: 16_384))
    public static let reject = Endpoint<InviteInput, MessageResponse>(
        .delete, "/reject-invite", surface: .coves, body: .json(maxByteCount: 16_384))
    /// The invitations that the caller sent and that nobody has used, newest first.
    public static let sent = Endpoint<SentInvitesInput, SentInvitesPage>(.get, "/sent-invites", surface: .coves)
    public static let cancel = Endpoint<InviteInput, MessageResponse>(
        .delete, "/cancel-invite", surface: .coves, body: .json(maxByteCount: 16_384))
}

// MARK: - Coves

public struct CoveRole: WireWord {
    public static let member = CoveRole(rawValue: "MEMBER")
    public static let admin = CoveRole(rawValue: "ADMIN")
    public static let allCases: [CoveRole] = [.member, .admin]

    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// Who may join a cove.
public struct CoveJoining: WireWord {
    /// Anyone who has the cove's id may join, except people who were removed from the cove.
    public static let id = CoveJoining(rawValue: "id")
    /// Only people who have an invitation may join.
    public static let invite = CoveJoining(rawValue: "invite")
    public static let allCases: [CoveJoining] = [.id, .invite]

    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

/// A cover picture of a cove or an event.
public struct CoverPhoto: Codable, Sendable, Equatable {
    public var id: String
    /// An absolute, signed URL, so that a view can load it without a credential.
    public var url: String

    public init(id: String, url: String) {
        self.id = id
        self.url = url
    }
}

public struct CreateCoveInput: Codable, Sendable {
    /// 1…100 characters.
    public var name: String
    /// At most 5,000 characters.
    public var description: String?
    /// 1…200 characters.
    public var location: String

    public init(name: String, description: String? = nil, location: String) {
        self.name = name
        self.description = description
        self.location = location
    }
}

/// A cove, in the responses to its creation and to changes of it.
public struct CreatedCove: Codable, Sendable, Equatable {
    public var message: String
    public var cove: Fields

    public init(message: String, cove: Fields) {
        self.message = message
        self.cove = cove
    }

    public struct Fields: Codable, Sendable, Equatable {
        public var id: String
        public var name: String
        @OrNull public var description: String?
        public var location: String
        public var createdAt: Date

        public init(id: String, name: String, description: String?, location: String, createdAt: Date) {
            self.id = id
            self.name = name
            self.description = description
            self.location = location
            self.createdAt = createdAt
        }
    }
}

/// The query of a request about one cove.
public struct CoveQuery: Codable, Sendable {
    public var coveId: String

    public init(coveId: String) { self.coveId = coveId }
}

/// The body of a request about one cove.
public struct CoveInput: Codable, Sendable {
    public var coveId: String

    public init(coveId: String) { self.coveId = coveId }
}

public struct CoveResponse: Codable, Sendable, Equatable {
    public var cove: CoveDetails

    public init(cove: CoveDetails) { self.cove = cove }
}

public struct CoveDetails: Codable, Sendable, Equatable {
    public var id: String
    public var name: String
    @OrNull public var description: String?
    public var location: String
    public var createdAt: Date
    public var creator: Creator
    @OrNull public var coverPhoto: CoverPhoto?
    public var stats: Stats
    public var joining: CoveJoining
    /// The caller's role.
    public var role: CoveRole
    /// Whether the caller has the creator's rights: to delete the cove, and to change roles.
    public var isCreator: Bool

    public struct Creator: Codable, Sendable, Equatable {
        /// Empty when the creator's account is closed or suspended.
        public var id: String
        /// Also empty when the creator and the caller have blocked each other, or the creator has not onboarded.
        public var name: String

        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    public struct Stats: Codable, Sendable, Equatable {
        /// The number of members, without closed and suspended accounts.
        public var memberCount: Int
        /// The number of events, past ones included.
        public var eventCount: Int

        public init(memberCount: Int, eventCount: Int) {
            self.memberCount = memberCount
            self.eventCount = eventCount
        }
    }

    public init(
        id: String, name: String, description: String?, location: String, createdAt: Date, creator: Creator, coverPhoto: CoverPhoto?,
        stats: Stats, joining: CoveJoining, role: CoveRole, isCreator: Bool
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.location = location
        self.createdAt = createdAt
        self.creator = creator
        self.coverPhoto = coverPhoto
        self.stats = stats
        self.joining = joining
        self.role = role
        self.isCreator = isCreator
    }
}

public struct UserCoves: Codable, Sendable, Equatable {
    public var coves: [CoveSummary]

    public init(coves: [CoveSummary]) { self.coves = coves }
}

public struct CoveSummary: Codable, Sendable, Equatable {
    public var id: String
    public var name: String
    @OrNull public var coverPhoto: CoverPhoto?

    public init(id: String, name: String, coverPhoto: CoverPhoto?) {
        self.id = id
        self.name = name
        self.coverPhoto = coverPhoto
    }
}

/// Changes to a cove. The fields have the limits of `CreateCoveInput`.
public struct EditCoveInput: Codable, Sendable {
    public var coveId: String
    /// Cannot be cleared.
    public var name: Change<String>
    public var description: Change<String>
    /// Cannot be cleared.
    public var location: Change<String>
    /// `.clear` removes the cover, unless the request contains a new one.
    public var coverPhoto: Change<String>
    public var joining: CoveJoining?

    public init(
        coveId: String, name: Change<String> = .unchanged, description: Change<String> = .unchanged,
        location: Change<String> = .unchanged, coverPhoto: Change<String> = .unchanged, joining: CoveJoining? = nil
    ) {
        self.coveId = coveId
        self.name = name
        self.description = description
        self.location = location
        self.coverPhoto = coverPhoto
        self.joining = joining
    }
}

// MARK: - Members

public struct CoveMembersInput: Codable, Sendable {
    public var coveId: String
    /// `nextCursor` of the previous page, or the id of its last member.
    public var cursor: String?
    /// 1…50, default 10; more than 50 means 50.
    public var limit: Int?

    public init(coveId: String, cursor: String? = nil, limit: Int? = nil) {
        self.coveId = coveId
        self.cursor = cursor
        self.limit = limit
    }
}

public struct CoveMembersResponse: Codable, Sendable, Equatable {
    public var members: [CoveMemberData]
    public var pagination: Pagination

    public init(members: [CoveMemberData], pagination: Pagination) {
        self.members = members
        self.pagination = pagination
    }
}

public struct CoveMemberData: Codable, Sendable, Equatable {
    /// The account's id.
    public var id: String
    /// Empty before the person has onboarded.
    public var name: String
    @OrNull public var profilePhotoUrl: String?
    public var role: CoveRole
    public var joinedAt: Date

    public init(id: String, name: String, profilePhotoUrl: String?, role: CoveRole, joinedAt: Date) {
        self.id = id
        self.name = name
        self.profilePhotoUrl = profilePhotoUrl
        self.role = role
        self.joinedAt = joinedAt
    }
}

public struct MembershipResponse: Codable, Sendable, Equatable {
    public var message: String
    public var member: MembershipData

    public init(message: String, member: MembershipData) {
        self.message = message
        self.member = member
    }
}

public struct MembershipData: Codable, Sendable, Equatable {
    /// The membership's own id.
    public var id: String
    public var coveId: String
    /// The account's id.
    public var userId: String
    public var role: CoveRole
    public var joinedAt: Date

    public init(id: String, coveId: String, userId: String, role: CoveRole, joinedAt: Date) {
        self.id = id
        self.coveId = coveId
        self.userId = userId
        self.role = role
        self.joinedAt = joinedAt
    }
}

public struct CoveMemberInput: Codable, Sendable {
    public var coveId: String
    public var userId: String

    public init(coveId: String, userId: String) {
        self.coveId = coveId
        self.userId = userId
    }
}

public struct CoveRoleInput: Codable, Sendable {
    public var coveId: String
    public var userId: String
    public var role: CoveRole

    public init(coveId: String, userId: String, role: CoveRole) {
        self.coveId = coveId
        self.userId = userId
        self.role = role
    }
}

// MARK: - Recommended friends

public struct RecommendedFriendsInput: Codable, Sendable {
    /// `nextCursor` of the previous page, or the id of its last person.
    public var cursor: String?
    /// 1…50, default 10; more than 50 means 50.
    public var limit: Int?

    public init(cursor: String? = nil, limit: Int? = nil) {
        self.cursor = cursor
        self.limit = limit
    }
}

public struct RecommendedFriends: Codable, Sendable, Equatable {
    public var users: [RecommendedFriend]
    public var pagination: Pagination

    public init(users: [RecommendedFriend], pagination: Pagination) {
        self.users = users
        self.pagination = pagination
    }
}

public struct RecommendedFriend: Codable, Sendable, Equatable {
    /// The account's id.
    public var id: String
    /// Empty before the person has onboarded.
    public var name: String
    @OrNull public var profilePhotoUrl: String?
    /// In how many coves the person is a member together with the caller. Only the 20 coves that the caller joined last count.
    public var sharedCoveCount: Int

    public init(id: String, name: String, profilePhotoUrl: String?, sharedCoveCount: Int) {
        self.id = id
        self.name = name
        self.profilePhotoUrl = profilePhotoUrl
        self.sharedCoveCount = sharedCoveCount
    }
}
