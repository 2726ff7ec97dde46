import Accounts
import Core
import KeepsakeWire
import Web

/// `DELETE /captures/{id}`: deletes a capture with every trace in summaries, contacts, the index and the library.
struct DeleteCapture: Sendable {
    let store: CaptureStore

    func handle(_ input: ItemPath, _ context: WebContext) async throws -> Empty {
        guard try await store.delete([input.id], owner: context.requireViewer().accountID) == 1 else { throw Problem.noSuchCapture }
        return Empty()
    }
}

/// `DELETE /captures`: deletes all captures of a span of time.
struct DeleteCaptureSpan: Sendable {
    let store: CaptureStore

    func handle(_ input: CaptureSpanInput, _ context: WebContext) async throws -> DeletedCaptures {
        let owner = try context.requireViewer().accountID
        guard input.from != nil, input.to != nil else {
            throw Problem(.invalid, "Send both from and to.", field: input.from == nil ? "from" : "to")
        }
        let zone = try await store.accounts.timeZone(of: owner)
        let range = try TimeRange.parse(from: input.from, to: input.to, in: zone, moment: WireDate.parseMicroseconds)
        // If the session ends meanwhile, the deletion stops: its owner may have ended it because of this deletion.
        let deleted = try await store.deleteAll(in: range, owner: owner, beforeEachWrite: context.requireLiveSession)
        return DeletedCaptures(deleted: deleted)
    }
}
