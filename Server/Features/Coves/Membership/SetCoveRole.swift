import Core
import KeepsakeWire
import Web

/// `POST /cove-role`: only for the creator.
struct SetCoveRole: Sendable {
    let store: CoveStore

    func handle(_ input: CoveRoleInput, _ context: WebContext) async throws -> MembershipResponse {
        let account = try context.requireViewer().accountID
        let cove = try CoveRules.id(input.coveId, field: "coveId")
        let person = try CoveRules.id(input.userId, field: "userId")
        let member = try await store.setRole(input.role, of: person, in: cove, by: account)
        return MembershipResponse(message: "The role was changed.", member: member.data)
    }
}
