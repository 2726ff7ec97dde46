import Core
import KeepsakeWire
import Web

/// `DELETE /api/users/user/{userId}/multimedia/{id}`: deletes the row now; the reaper's next pass deletes the bytes.
struct DeleteMedia: Sendable {
    let store: MediaStore

    func handle(_ input: EntryPath, _ context: WebContext) async throws -> SuccessResponse {
        guard try await store.delete(input.id, owner: context.requireViewer().accountID) else { throw Problem.noSuchFile }
        return SuccessResponse()
    }
}
