import Blobs
import Core
import KeepsakeWire
import Media
import Web

/// `POST /create-event`: adds an event to a cove, with an optional cover picture. The caller is the host.
struct CreateEvent: Sendable {
    let store: EventStore
    let gate: UploadGate
    let library: MediaLibrary
    let identifiers: Identifiers

    func handle(_ body: IncomingJSON, _ context: WebContext) async throws -> Kept<CreatedCoveEvent> {
        let account = try context.requireViewer().accountID
        let session = UploadSession(rules: EventRules.upload, gate: gate, owner: account)
        let (upload, input) = try await body.receive(into: session, as: CreateCoveEventInput.self)
        return try await upload.settle {
            let event = try EventRules.event(input, id: identifiers.next(), host: account, now: identifiers.clock.now)
            let cover = upload.files.first.map { library.file($0, category: "cover", groupID: nil) }
            return try await store.create(event, cover: cover) { tx in
                let answer = CreatedCoveEvent(message: "The event was created.", event: event.created)
                return try context.idempotency.keep(answer, creating: [event.resource], tx)
            }
        }
    }
}
