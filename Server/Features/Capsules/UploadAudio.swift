import Blobs
import Core
import KeepsakeWire
import Media
import Web

/// `POST /v0/capsules/{id}/audio`: uploads the recording as a form, with a credential.
struct UploadAudio: Sendable {
    let store: CapsuleStore
    let gate: UploadGate
    let library: MediaLibrary
    let presenter: CapsulePresenter

    func handle(_ input: CapsulePath, _ form: IncomingForm, _ context: WebContext) async throws -> Kept<CapsuleUpload> {
        let owner = try context.requireViewer().accountID
        // Look the capsule up before the body of up to 200 MB is received.
        guard try await store.capsule(input.id, owner: owner) != nil else { throw Problem.noSuchCapsule }
        let upload = try await form.receive(into: UploadSession(rules: CapsuleRules.form, gate: gate, owner: owner))
        return try await upload.settle {
            if let named = upload.texts["capsule_id"], TextRules.trimmed(named) != input.id {
                throw Problem(.invalid, "capsule_id is not the capsule in the address.", field: "capsule_id")
            }
            let sound = try upload.requireFile(CapsuleRules.field)
            let file = library.file(sound, category: CapsuleStore.kind, groupID: nil)
            let kept = try await store.attach(file, to: input.id, owner: owner) { [presenter, store] capsule, tx in
                // A retry may come after the transcription, so the response may have a transcript.
                let transcript = try store.transcripts(of: [capsule], tx)[capsule.id]
                let answer = CapsuleUpload(capsule: presenter.capsule(capsule, transcript), uploadURL: nil)
                // The capsule had these bytes already, from a request with another idempotency key or none, so there is nothing to name as
                // created.
                if capsule.media != file.id { return try context.idempotency.keepNothing(answer, tx) }
                return try context.idempotency.keep(answer, creating: [MediaLibrary.resource(file.id)], tx)
            }
            guard let kept else { throw Problem.noSuchCapsule }
            return kept
        }
    }
}
