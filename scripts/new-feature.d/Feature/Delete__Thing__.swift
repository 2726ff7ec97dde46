import Core
import KeepsakeWire
import Web

/// `DELETE /api/users/user/{userId}/__things__/{id}` deletes the row. A later run of the garbage collector deletes the file's bytes.
struct Delete__Thing__: Sendable {
    let store: __Thing__Store

    func handle(_ input: EntryPath, _ context: WebContext) async throws -> SuccessResponse {
        guard try await store.delete(input.id, owner: context.requireViewer().accountID) else { throw Problem.noSuch__Thing__ }
        return SuccessResponse()
    }
}
