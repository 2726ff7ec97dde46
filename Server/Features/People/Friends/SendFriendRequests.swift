import Core
import KeepsakeWire
import Web

/// `POST /friend-request`: sends a request to each of several people, or to nobody when one of the requests fails.
struct SendFriendRequests: Sendable {
    let store: FriendStore

    func handle(_ input: SendFriendRequestsInput, _ context: WebContext) async throws -> Kept<FriendRequestIdsResponse> {
        let sender = try context.requireViewer().accountID
        let recipients = try FriendRules.recipients(input.toUserIds, from: sender)
        return try await store.send(to: recipients, from: sender) { requests, tx in
            let answer = FriendRequestIdsResponse(message: FriendMessages.sent(requests), requestIds: requests.map(\.id))
            return try context.idempotency.keep(answer, creating: requests.map(\.resource), tx)
        }
    }
}
