import Core
import KeepsakeWire
import Web

/// `POST /send-friend-request`: sends a request to the person in `recipientId`, or to each of the people in `toUserIds`.
struct SendFriendRequest: Sendable {
    let store: FriendStore
    let presenter: FriendPresenter

    func handle(_ input: SendFriendRequestInput, _ context: WebContext) async throws -> Kept<SendFriendRequestResponse> {
        let sender = try context.requireViewer().accountID
        let recipients: [FriendRules.Recipient]
        switch (input.recipientId, input.toUserIds) {
        case (let id?, nil): recipients = [try FriendRules.recipient(id, field: "recipientId", from: sender)]
        case (nil, let ids?): recipients = try FriendRules.recipients(ids, from: sender)
        case (nil, nil): throw Problem(.invalid, "recipientId is missing.", field: "recipientId")
        case (_?, _?): throw Problem(.invalid, "Send recipientId or toUserIds, not both.", field: "toUserIds")
        }
        let isSingle = input.recipientId != nil
        return try await store.send(to: recipients, from: sender) { [presenter] requests, tx in
            let answer =
                isSingle
                ? SendFriendRequestResponse(message: FriendMessages.sent(requests), request: presenter.request(requests[0]))
                : SendFriendRequestResponse(message: FriendMessages.sent(requests), requestIds: requests.map(\.id))
            return try context.idempotency.keep(answer, creating: requests.map(\.resource), tx)
        }
    }
}
