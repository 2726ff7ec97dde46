import Core
import KeepsakeWire
import Web

/// `POST /remove-friend`: either of the two ends the friendship. Nobody is notified.
struct RemoveFriend: Sendable {
    let store: FriendStore

    func handle(_ input: RemoveFriendInput, _ context: WebContext) async throws -> MessageResponse {
        let person = try context.requireViewer().accountID
        try await store.remove(try FriendRules.id(input.friendshipId, field: "friendshipId"), of: person)
        return MessageResponse(message: FriendMessages.removed)
    }
}
