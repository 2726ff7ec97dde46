import Core
import Database
import KeepsakeWire
import Web

/// `GET /contacts/known`: the last seen first.
struct ListKnownContacts: Sendable {
    let store: CaptureStore
    let presenter: CapturePresenter
    let cursors: Cursors

    func handle(_ input: ListKnownContactsInput, _ context: WebContext) async throws -> ItemPage<KnownContact> {
        let owner = try context.requireViewer().accountID
        let limit = try PageSize.read(input.limit)
        let paging = try Paging<TimeKey>("known contacts", of: [owner], after: input.cursor, limit: limit, cursors)
        let page = try await store.contacts(of: owner, paging.request)
        return ItemPage(items: page.rows.map(presenter.contact), nextCursor: paging.cursor(page.next))
    }
}

/// `PATCH /contacts/known/{id}`
struct EditKnownContact: Sendable {
    let store: CaptureStore
    let presenter: CapturePresenter

    func handle(_ input: EditKnownContactInput, _ context: WebContext) async throws -> KnownContact {
        let change = try ContactChange(input)
        guard let contact = try await store.edit(input.id, owner: context.requireViewer().accountID, change) else {
            throw Problem.noSuchContact
        }
        return presenter.contact(contact)
    }
}

/// `POST /contacts/known/{id}/merge`
struct MergeKnownContact: Sendable {
    let store: CaptureStore
    let presenter: CapturePresenter

    func handle(_ input: MergeKnownContactInput, _ context: WebContext) async throws -> KnownContact {
        guard let contact = try await store.merge(input.id, into: input.into, owner: context.requireViewer().accountID) else {
            throw Problem.noSuchContact
        }
        return presenter.contact(contact)
    }
}

/// `POST /contacts/known/{id}/split`
struct SplitKnownContact: Sendable {
    let store: CaptureStore
    let presenter: CapturePresenter

    private static let captureCount = 1_000
    /// Limits how many requests hold what they have read of captures. Accounts and networks take turns.
    let turns = FairWork(
        FairSemaphore.Limits(
            permits: 8, permitsPerKey: 1, permitsPerNetwork: 2, waiting: 256, waitingPerKey: 8, waitingPerNetwork: 64))

    func handle(_ input: SplitKnownContactInput, _ context: WebContext) async throws -> Kept<KnownContact> {
        let owner = try context.requireViewer().accountID
        let name = try ContactChange.name(input.name)
        let captures = Set(input.captureIds)
        guard (1...Self.captureCount).contains(captures.count), captures.allSatisfy(CaptureRules.isID) else {
            throw Problem(.invalid, "captureIds must be 1 to \(Self.captureCount) ids of captures.", field: "captureIds")
        }
        guard let ids = try await store.mentioning(input.id, among: Array(captures), owner: owner) else { throw Problem.noSuchContact }
        let turn = try await context.withoutSlot { try await turns.turn() }
        defer { turn.release() }
        var mentioning: [CaptureStore.SplitCapture] = []
        for start in stride(from: 0, to: ids.count, by: CaptureStore.splitReadCount) {
            let part = Array(ids[start..<min(start + CaptureStore.splitReadCount, ids.count)])
            mentioning += try await context.inTurn { try await store.splitCaptures(part, owner: owner) }
        }
        let kept = try await store.split(input.id, owner: owner, captures: mentioning, name: name) { [presenter] contact, tx in
            try context.idempotency.keep(presenter.contact(contact), creating: [contact.contact.resource], tx)
        }
        guard let kept else { throw Problem.noSuchContact }
        return kept
    }
}

/// `DELETE /contacts/known/{id}`
struct DeleteKnownContact: Sendable {
    let store: CaptureStore

    func handle(_ input: ItemPath, _ context: WebContext) async throws -> Empty {
        guard try await store.deleteContact(input.id, owner: context.requireViewer().accountID) else { throw Problem.noSuchContact }
        return Empty()
    }
}
