import Core
import KeepsakeWire
import Web

/// `POST /v0/capsules/{id}/complete`: the client states that the recording is uploaded, and the server starts its transcription.
struct CompleteCapsule: Sendable {
    let store: CapsuleStore
    let presenter: CapsulePresenter

    func handle(_ input: CompleteCapsuleInput, _ context: WebContext) async throws -> Capsule {
        guard input.status == nil || input.status == CapsuleStatus.processing.rawValue else {
            throw Problem(.invalid, "status must be processing.", field: "status")
        }
        guard let (capsule, transcript) = try await store.complete(input.id, owner: context.requireViewer().accountID) else {
            throw Problem.noSuchCapsule
        }
        return presenter.capsule(capsule, transcript)
    }
}
