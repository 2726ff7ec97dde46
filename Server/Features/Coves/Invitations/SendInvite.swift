import Accounts
import Core
import Database
import KeepsakeWire
import People
import Phone
import Web

/// `POST /send-invite`: only for ADMINs. Numbers are read as people write them, in the form of the caller's own country.
struct SendInvite: Sendable {
    let store: InviteStore
    let reader: NumberReader
    let budget: NumberBudget

    func handle(_ input: SendInviteInput, _ context: WebContext) async throws -> Kept<SentInvites> {
        let account = try context.requireViewer().accountID
        let cove = try CoveRules.id(input.coveId, field: "coveId")
        let message = try InviteRules.message(input.message)
        let written = try InviteRules.numbers(input.phoneNumbers)
        let phone = try await store.phone(of: account)
        // Requests take turns at `NumberReader`. While a request waits for its turn, it holds no admission slot, so other requests can use
        // the slot.
        let read = try await context.withoutSlot { try await reader.e164(written, caller: phone) }
        // The response reveals which numbers are members' numbers, so a budget limits them. Requests that are refused below count as well.
        try await budget.count(written, e164: read, of: account)
        let numbers = zip(written, read).map { InviteStore.Number(written: $0, phone: $1) }
        return try await store.send(numbers, to: cove, by: account, message: message) { invites, errors, tx in
            let message = invites.count == 1 ? "1 invitation was sent." : "\(invites.count) invitations were sent."
            let answer = SentInvites(message: message, invites: invites, errors: errors)
            if invites.isEmpty { return try context.idempotency.keepNothing(answer, tx) }
            return try context.idempotency.keep(answer, creating: invites.map { CoveInvite.resource($0.id) }, tx)
        }
    }
}
