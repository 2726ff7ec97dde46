import Blobs
import Core
import KeepsakeWire
import Media
import Web

/// `PUT /v0/capsules/{id}/upload`: uploads the recording as the request body, with the signed link from the capsule's creation.
struct PutAudio: Sendable {
    let store: CapsuleStore
    let gate: UploadGate
    let library: MediaLibrary
    let links: SignedLinks

    static let lifetime: Duration = .hours(1)
    static func path(_ id: String) -> String { "/v0/capsules/\(id)/upload" }

    func handle(_ input: PutAudioInput, _ body: IncomingFile, _ context: WebContext) async throws -> Empty {
        let link = try links.checkUpload(
            Self.path(input.id), owner: input.owner, expires: input.expires, signature: input.signature)
        let owner = link.owner
        guard let capsule = try await store.uploadable(input.id, by: link) else { throw Problem.noSuchCapsule }
        try CapsuleRules.check(contentType: body.contentType)
        if let byteCount = body.byteCount {
            if !capsule.hasRecording { try CapsuleRules.check(size: byteCount, of: capsule) }
            // A retry after a lost response sends the same bytes. A body of another size is a conflict.
            if capsule.hasRecording, byteCount != capsule.byteCount { throw Problem.hasSound }
        }
        let session = UploadSession(rules: CapsuleRules.put(capsule), gate: gate, owner: owner)
        let upload = try await body.receive(into: session, field: CapsuleRules.field, by: link)
        return try await upload.settle {
            guard let sound = upload.files.first else {
                throw Problem(.invalid, "The request body is empty. Send the audio file as the body.")
            }
            let file = library.file(sound, category: CapsuleStore.kind, groupID: nil)
            if !capsule.hasRecording { try CapsuleRules.check(size: file.byteCount, of: capsule) }
            guard let kept = try await store.attach(file, to: input.id, owner: owner, by: link, answering: { _, _ in Empty() }) else {
                throw Problem.noSuchCapsule
            }
            return kept
        }
    }
}
