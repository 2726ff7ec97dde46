import Core
import KeepsakeWire
import Web

/// `DELETE /api/users/user/{userId}/moods|memories|events/{id}`: rows go now, the files' bytes with the reaper's next round.
struct DeleteMoment: Sendable {
    let store: MomentStore
    let kind: Moment.Kind

    func handle(_ input: EntryPath, _ context: WebContext) async throws -> SuccessResponse {
        guard try await store.delete(input.id, kind, owner: context.requireViewer().accountID) else { throw Problem.noSuch(kind) }
        return SuccessResponse()
    }
}
