import Core
import KeepsakeWire
import Web

/// `POST /resolve-friend-request`: the recipient accepts or rejects a request. The field `action` says which.
struct ResolveFriendRequest: Sendable {
    let store: FriendStore
    let presenter: FriendPresenter

    func handle(_ input: ResolveFriendRequestInput, _ context: WebContext) async throws -> ResolveFriendRequestResponse {
        let person = try context.requireViewer().accountID
        let id = try FriendRules.id(input.requestId, field: "requestId")
        let accepting = try FriendRules.isAccepting(input.action)
        let request = try await store.resolve(id, by: person, accepting: accepting)
        return ResolveFriendRequestResponse(
            message: FriendMessages.resolved(accepting: accepting), friendship: presenter.friendship(request))
    }
}
