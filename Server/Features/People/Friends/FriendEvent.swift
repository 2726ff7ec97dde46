import Live

/// The payload of `friend.requested`, for the recipient. Who sent the request is in the list of requests.
struct FriendRequestedEvent: Codable, Sendable {
    let requestId: String
}

/// The payload of `friend.accepted`, for both. With whom is in the list of friends.
struct FriendAcceptedEvent: Codable, Sendable {
    let friendshipId: String
}

extension Event.Kind {
    static let friendRequested: Event.Kind = "friend.requested"
    static let friendAccepted: Event.Kind = "friend.accepted"
}
