import Core
import KeepsakeWire
import Web

/// `POST /cancel-friend-request`: the sender takes back a pending request. Nobody is notified.
struct CancelFriendRequest: Sendable {
    let store: FriendStore

    func handle(_ input: CancelFriendRequestInput, _ context: WebContext) async throws -> MessageResponse {
        let person = try context.requireViewer().accountID
        try await store.cancel(try FriendRules.id(input.requestId, field: "requestId"), by: person)
        return MessageResponse(message: FriendMessages.cancelled)
    }
}
