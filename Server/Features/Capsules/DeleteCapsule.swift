import Core
import KeepsakeWire
import Web

/// `DELETE /v0/capsules/{id}`: deletes the rows now. The next run of the reaper deletes the recording's bytes.
struct DeleteCapsule: Sendable {
    let store: CapsuleStore

    func handle(_ input: CapsulePath, _ context: WebContext) async throws -> Empty {
        guard try await store.delete(input.id, owner: context.requireViewer().accountID) else { throw Problem.noSuchCapsule }
        return Empty()
    }
}
