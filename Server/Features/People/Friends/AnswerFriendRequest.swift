import Core
import KeepsakeWire
import Web

/// `POST /friend-request/resolve`: the recipient accepts or rejects a request. The field `accept` says which.
struct AnswerFriendRequest: Sendable {
    let store: FriendStore

    func handle(_ input: AnswerFriendRequestInput, _ context: WebContext) async throws -> MessageResponse {
        let person = try context.requireViewer().accountID
        let id = try FriendRules.id(input.requestId, field: "requestId")
        _ = try await store.resolve(id, by: person, accepting: input.accept)
        return MessageResponse(message: FriendMessages.resolved(accepting: input.accept))
    }
}
