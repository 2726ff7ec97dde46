import Core
import KeepsakeWire
import Web

/// `DELETE /api/users/user/{userId}/moods|memories|events/{id}`: deletes the rows now. The next run of the reaper deletes the bytes of the
/// files.
struct DeleteMoment: Sendable {
    let store: MomentStore
    let kind: Moment.Kind

    func handle(_ input: EntryPath, _ context: WebContext) async throws -> SuccessResponse {
        guard try await store.delete(input.id, kind, owner: context.requireViewer().accountID) else { throw Problem.noSuch(kind) }
        return SuccessResponse()
    }
}
