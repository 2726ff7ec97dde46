import Blobs
import Core
import KeepsakeWire
import Media
import Web

/// `POST /edit-event`: absent fields stay, `null` clears the description or the cover.
struct EditEvent: Sendable {
    let store: EventStore
    let gate: UploadGate
    let library: MediaLibrary

    func handle(_ body: IncomingJSON, _ context: WebContext) async throws -> CreatedCoveEvent {
        let account = try context.requireViewer().accountID
        let session = UploadSession(rules: EventRules.upload, gate: gate, owner: account)
        let (upload, input) = try await body.receive(into: session, as: EditCoveEventInput.self)
        let event = try await upload.settle {
            let id = try CoveRules.id(input.eventId, field: "eventId")
            let cover = upload.files.first.map { library.file($0, category: "cover", groupID: nil) }
            return try await store.edit(id, by: account, try EventChange(input), cover: cover)
        }
        return CreatedCoveEvent(message: "The event was changed.", event: event.created)
    }
}
