import Core
import KeepsakeWire
import Media

/// Renders friends and friend requests as surface 1's JSON.
struct FriendPresenter: Sendable {
    let library: MediaLibrary

    func request(_ request: StoredFriendRequest) -> FriendRequest {
        FriendRequest(
            id: request.id, senderId: request.sender, recipientId: request.recipient, status: request.status,
            createdAt: request.createdAt.date)
    }

    /// - Returns: `nil` unless the request was accepted.
    func friendship(_ request: StoredFriendRequest) -> Friendship? {
        guard let id = request.friendship, let acceptedAt = request.resolvedAt else { return nil }
        return Friendship(id: id, user1Id: request.sender, user2Id: request.recipient, createdAt: acceptedAt.date)
    }

    func friend(_ row: FriendRow) -> Friend {
        Friend(
            id: row.person.id, name: row.person.name, profilePhotoUrl: picture(of: row.person), friendshipId: row.id,
            createdAt: row.at.date)
    }

    func received(_ row: FriendRow) -> FriendRequestList.Received {
        FriendRequestList.Received(id: row.id, sender: person(row.person), createdAt: row.at.date)
    }

    func sent(_ row: FriendRow) -> SentFriendRequestList.Sent {
        SentFriendRequestList.Sent(id: row.id, recipient: person(row.person), createdAt: row.at.date)
    }

    private func person(_ person: PersonCard) -> FriendRequestPerson {
        FriendRequestPerson(id: person.id, name: person.name, profilePhotoUrl: picture(of: person))
    }

    private func picture(of person: PersonCard) -> String? {
        person.picture.map { library.sharedLink($0, owner: person.id) }
    }
}
