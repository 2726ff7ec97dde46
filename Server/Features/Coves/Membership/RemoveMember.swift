import Core
import KeepsakeWire
import Web

/// `POST /remove-member`: only for ADMINs. The person can return by invitation only.
struct RemoveMember: Sendable {
    let store: CoveStore

    func handle(_ input: CoveMemberInput, _ context: WebContext) async throws -> MessageResponse {
        let account = try context.requireViewer().accountID
        let cove = try CoveRules.id(input.coveId, field: "coveId")
        let person = try CoveRules.id(input.userId, field: "userId")
        guard person != account else { throw Problem(.invalid, "To leave a cove, use /leave-cove.", field: "userId") }
        try await store.remove(person, from: cove, by: account)
        return MessageResponse(message: "The member was removed.")
    }
}
