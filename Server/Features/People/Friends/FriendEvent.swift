import Live

/// The payload of `friend.requested`, for the recipient. The list of requests says who sent it.
struct FriendRequestedEvent: Codable, Sendable {
    let requestId: String
}

/// The payload of `friend.accepted`, which both people receive. It does not name the other person; the list of friends does.
struct FriendAcceptedEvent: Codable, Sendable {
    let friendshipId: String
}

extension Event.Kind {
    static let friendRequested: Event.Kind = "friend.requested"
    static let friendAccepted: Event.Kind = "friend.accepted"
}
