import Core
import KeepsakeWire
import Web

/// `POST /join-cove`: makes the caller a member, by the cove's id or by invitation, as the cove's `joining` says. Uses the invitation up.
struct JoinCove: Sendable {
    let store: InviteStore

    func handle(_ input: CoveInput, _ context: WebContext) async throws -> Kept<MembershipResponse> {
        let account = try context.requireViewer().accountID
        return try await store.join(CoveRules.id(input.coveId, field: "coveId"), account) { member, tx in
            let answer = MembershipResponse(message: "You have joined the cove.", member: member.data)
            return try context.idempotency.keep(answer, creating: [member.resource], tx)
        }
    }
}
