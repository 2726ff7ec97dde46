import Core
import KeepsakeWire
import Web

/// `POST /v0/capsules`: creates a capsule without a recording, and returns the link for uploading the recording by PUT.
struct CreateCapsule: Sendable {
    let store: CapsuleStore
    let presenter: CapsulePresenter
    let links: SignedLinks
    let identifiers: Identifiers

    func handle(_ input: CreateCapsuleInput, _ context: WebContext) async throws -> Kept<CapsuleUpload> {
        let owner = try context.requireViewer().accountID
        let capsule = try CapsuleRules.capsule(input, id: identifiers.next(), owner: owner, now: identifiers.clock.now)
        let answer = CapsuleUpload(
            capsule: presenter.capsule(capsule, nil),
            uploadURL: links.upload(PutAudio.path(capsule.id), owner: owner, lifetime: PutAudio.lifetime))
        return try await store.add(capsule) { tx in try context.idempotency.keep(answer, creating: [capsule.resource], tx) }
    }
}
