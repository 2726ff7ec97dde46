import Core
import KeepsakeWire
import Web

/// `GET /v0/capsules/{id}/transcription`
struct ReadTranscription: Sendable {
    let store: CapsuleStore
    let presenter: CapsulePresenter

    func handle(_ input: CapsulePath, _ context: WebContext) async throws -> CapsuleTranscription {
        guard let (capsule, transcript) = try await store.whole(input.id, owner: context.requireViewer().accountID) else {
            throw Problem.noSuchCapsule
        }
        return presenter.transcription(capsule, transcript)
    }
}
