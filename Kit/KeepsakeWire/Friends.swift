public import Foundation
import HTTPTypes

/// Surface 1: friends, friend requests and blocks. JSON keys are in camelCase; paths have no common prefix. Because two clients exist,
/// there are two endpoints for sending a request, and two for answering one.
public enum FriendEndpoints {
    /// Takes `recipientId`, or `toUserIds` as `/friend-request` does. If the recipient has already sent a request to the caller, the two
    /// become friends at once.
    public static let send = CreationEndpoint<SendFriendRequestInput, SendFriendRequestResponse>(
        .post, "/send-friend-request", surface: .coves, body: .json(maxByteCount: 65_536))
    /// Sends a request to each person. If one of the requests fails, nobody gets one.
    public static let sendSeveral = CreationEndpoint<SendFriendRequestsInput, FriendRequestIdsResponse>(
        .post, "/friend-request", surface: .coves, body: .json(maxByteCount: 65_536))
    /// Accepts or rejects a request. Repeating the same action gets the same response; the opposite action gets 409.
    public static let resolve = Endpoint<ResolveFriendRequestInput, ResolveFriendRequestResponse>(
        .post, "/resolve-friend-request", surface: .coves, body: .json(maxByteCount: 16_384))
    /// Does the same as `resolve`, with another body.
    public static let answer = Endpoint<AnswerFriendRequestInput, MessageResponse>(
        .post, "/friend-request/resolve", surface: .coves, body: .json(maxByteCount: 16_384))
    /// Cancels a pending request that the caller sent.
    public static let cancel = Endpoint<CancelFriendRequestInput, MessageResponse>(
        .post, "/cancel-friend-request", surface: .coves, body: .json(maxByteCount: 16_384))
    public static let remove = Endpoint<RemoveFriendInput, MessageResponse>(
        .post, "/remove-friend", surface: .coves, body: .json(maxByteCount: 16_384))

    public static let friends = Endpoint<ListFriendsInput, FriendList>(.get, "/friends", surface: .coves)
    /// Pending requests that the caller received.
    public static let requests = Endpoint<ListFriendsInput, FriendRequestList>(.get, "/friend-requests", surface: .coves)
    /// Pending requests that the caller sent.
    public static let sentRequests = Endpoint<ListFriendsInput, SentFriendRequestList>(.get, "/sent-friend-requests", surface: .coves)

    /// Hides the caller and the person from each other, and ends their friendship and their friend requests. Repeating it changes nothing.
    public static let block = Endpoint<BlockInput, MessageResponse>(
        .post, "/block", surface: .coves, body: .json(maxByteCount: 16_384))
    /// Ends the caller's block. Repeating it changes nothing.
    public static let unblock = Endpoint<BlockInput, MessageResponse>(
        .post, "/unblock", surface: .coves, body: .json(maxByteCount: 16_384))
    /// The people whom the caller has blocked.
    public static let blocks = Endpoint<ListFriendsInput, BlockList>(.get, "/blocks", surface: .coves)
}

// MARK: Requests

/// A request has one of the two fields.
public struct SendFriendRequestInput: Codable, Sendable {
    public var recipientId: String?
    /// 1…200 people, each once.
    public var toUserIds: [String]?

    public init(recipientId: String? = nil, toUserIds: [String]? = nil) {
        self.recipientId = recipientId
        self.toUserIds = toUserIds
    }
}

public struct SendFriendRequestsInput: Codable, Sendable {
    /// 1…200 people, each once.
    public var toUserIds: [String]

    public init(toUserIds: [String]) { self.toUserIds = toUserIds }
}

public struct ResolveFriendRequestInput: Codable, Sendable {
    public var requestId: String
    /// `ACCEPT` or `REJECT`.
    public var action: String

    public init(requestId: String, action: String) {
        self.requestId = requestId
        self.action = action
    }
}

public struct AnswerFriendRequestInput: Codable, Sendable {
    public var requestId: String
    public var accept: Bool

    public init(requestId: String, accept: Bool) {
        self.requestId = requestId
        self.accept = accept
    }
}

public struct CancelFriendRequestInput: Codable, Sendable {
    public var requestId: String

    public init(requestId: String) { self.requestId = requestId }
}

public struct RemoveFriendInput: Codable, Sendable {
    public var friendshipId: String

    public init(friendshipId: String) { self.friendshipId = friendshipId }
}

public struct BlockInput: Codable, Sendable {
    /// The person whom the caller blocks or unblocks.
    public var userId: String

    public init(userId: String) { self.userId = userId }
}

public struct ListFriendsInput: Codable, Sendable {
    /// 1…50, default 10; more than 50 means 50.
    public var limit: Int?
    /// `nextCursor` of the previous page, or the plain id of its last row.
    public var cursor: String?

    public init(limit: Int? = nil, cursor: String? = nil) {
        self.limit = limit
        self.cursor = cursor
    }
}

// MARK: Responses

public struct FriendRequestStatus: WireWord {
    public static let pending = FriendRequestStatus(rawValue: "PENDING")
    public static let accepted = FriendRequestStatus(rawValue: "ACCEPTED")
    public static let rejected = FriendRequestStatus(rawValue: "REJECTED")
    public static let allCases: [FriendRequestStatus] = [.pending, .accepted, .rejected]

    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
}

public struct FriendRequest: Codable, Sendable, Equatable {
    public var id: String
    public var senderId: String
    public var recipientId: String
    /// In the response to the sender: `PENDING`, or `ACCEPTED` if the recipient had already sent a request to the sender.
    public var status: FriendRequestStatus
    public var createdAt: Date

    public init(id: String, senderId: String, recipientId: String, status: FriendRequestStatus, createdAt: Date) {
        self.id = id
        self.senderId = senderId
        self.recipientId = recipientId
        self.status = status
        self.createdAt = createdAt
    }
}

/// Has `request` if the client's request named one recipient, otherwise `requestIds`.
public struct SendFriendRequestResponse: Codable, Sendable, Equatable {
    public var message: String
    public var request: FriendRequest?
    /// The ids of the requests, in the order of `toUserIds`.
    public var requestIds: [String]?

    public init(message: String, request: FriendRequest) {
        self.message = message
        self.request = request
    }

    public init(message: String, requestIds: [String]) {
        self.message = message
        self.requestIds = requestIds
    }
}

public struct FriendRequestIdsResponse: Codable, Sendable, Equatable {
    public var message: String
    /// The ids of the requests, in the order of `toUserIds`.
    public var requestIds: [String]

    public init(message: String, requestIds: [String]) {
        self.message = message
        self.requestIds = requestIds
    }
}

public struct Friendship: Codable, Sendable, Equatable {
    public var id: String
    /// The person who sent the request.
    public var user1Id: String
    /// The person who accepted the request.
    public var user2Id: String
    /// Always `ACCEPTED`.
    public var status: FriendRequestStatus
    public var createdAt: Date

    public init(id: String, user1Id: String, user2Id: String, createdAt: Date) {
        self.id = id
        self.user1Id = user1Id
        self.user2Id = user2Id
        status = .accepted
        self.createdAt = createdAt
    }
}

public struct ResolveFriendRequestResponse: Codable, Sendable, Equatable {
    public var message: String
    /// Absent when the request was rejected.
    public var friendship: Friendship?

    public init(message: String, friendship: Friendship?) {
        self.message = message
        self.friendship = friendship
    }
}

// MARK: Lists

/// Newest first.
public struct FriendList: Codable, Sendable, Equatable {
    public var friends: [Friend]
    public var pagination: Pagination

    public init(friends: [Friend], pagination: Pagination) {
        self.friends = friends
        self.pagination = pagination
    }
}

public struct Friend: Codable, Sendable, Equatable {
    /// The id of the friend's account.
    public var id: String
    /// Empty before the friend has onboarded.
    public var name: String
    /// An absolute, signed URL; `nil` when there is no picture.
    @OrNull public var profilePhotoUrl: String?
    /// The id that `/remove-friend` takes.
    public var friendshipId: String
    /// When the two became friends.
    public var createdAt: Date

    public init(id: String, name: String, profilePhotoUrl: String?, friendshipId: String, createdAt: Date) {
        self.id = id
        self.name = name
        self.profilePhotoUrl = profilePhotoUrl
        self.friendshipId = friendshipId
        self.createdAt = createdAt
    }
}

/// The other person of a friend request.
public struct FriendRequestPerson: Codable, Sendable, Equatable {
    public var id: String
    /// Empty before the person has onboarded.
    public var name: String
    /// An absolute, signed URL; `nil` when there is no picture.
    @OrNull public var profilePhotoUrl: String?

    public init(id: String, name: String, profilePhotoUrl: String?) {
        self.id = id
        self.name = name
        self.profilePhotoUrl = profilePhotoUrl
    }
}

/// Newest first.
public struct FriendRequestList: Codable, Sendable, Equatable {
    public var requests: [Received]
    public var pagination: Pagination

    public init(requests: [Received], pagination: Pagination) {
        self.requests = requests
        self.pagination = pagination
    }

    public struct Received: Codable, Sendable, Equatable {
        /// The id that `/resolve-friend-request` takes.
        public var id: String
        public var sender: FriendRequestPerson
        public var createdAt: Date

        public init(id: String, sender: FriendRequestPerson, createdAt: Date) {
            self.id = id
            self.sender = sender
            self.createdAt = createdAt
        }
    }
}

/// Newest first.
public struct SentFriendRequestList: Codable, Sendable, Equatable {
    public var requests: [Sent]
    public var pagination: Pagination

    public init(requests: [Sent], pagination: Pagination) {
        self.requests = requests
        self.pagination = pagination
    }

    public struct Sent: Codable, Sendable, Equatable {
        /// The id that `/cancel-friend-request` takes.
        public var id: String
        public var recipient: FriendRequestPerson
        public var createdAt: Date

        public init(id: String, recipient: FriendRequestPerson, createdAt: Date) {
            self.id = id
            self.recipient = recipient
            self.createdAt = createdAt
        }
    }
}

/// Newest first.
public struct BlockList: Codable, Sendable, Equatable {
    public var blocks: [Block]
    public var pagination: Pagination

    public init(blocks: [Block], pagination: Pagination) {
        self.blocks = blocks
        self.pagination = pagination
    }

    public struct Block: Codable, Sendable, Equatable {
        /// The id of the blocked person's account, which `/unblock` takes.
        public var id: String
        public var name: String
        public var createdAt: Date

        public init(id: String, name: String, createdAt: Date) {
            self.id = id
            self.name = name
            self.createdAt = createdAt
        }
    }
}
