import Core
import KeepsakeWire
import Web

/// `DELETE /v0/capsules/{id}`: rows go now, the sound's bytes with the reaper's next round.
struct DeleteCapsule: Sendable {
    let store: CapsuleStore

    func handle(_ input: CapsulePath, _ context: WebContext) async throws -> Empty {
        guard try await store.delete(input.id, owner: context.requireViewer().accountID) else { throw Problem.noSuchCapsule }
        return Empty()
    }
}
