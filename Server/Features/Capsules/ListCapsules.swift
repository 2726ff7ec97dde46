import Core
import Database
import KeepsakeWire
import Web

/// `GET /v0/capsules`: the caller's capsules, newest first.
struct ListCapsules: Sendable {
    let store: CapsuleStore
    let presenter: CapsulePresenter
    let cursors: Cursors

    func handle(_ input: ListCapsulesInput, _ context: WebContext) async throws -> CapsuleList {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let paging = try Paging<TimeKey>("capsules", of: [owner], after: input.cursor, limit: limit, cursors)
        let listed = try await store.page(owner: owner, paging.request)
        let capsules: [CapsuleStore.Whole]
        if let short = listed.capsules {
            capsules = short
        } else {
            try await context.waitForTurn(toMake: listed.page.rows.reduce(0) { $0 + $1.textByteCount })
            capsules = try await store.wholes(listed.page.rows)
        }
        return CapsuleList(
            capsules: capsules.map { presenter.capsule($0.capsule, $0.transcript) }, nextCursor: paging.cursor(listed.page.next))
    }
}
