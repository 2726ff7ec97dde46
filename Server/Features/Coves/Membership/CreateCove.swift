import Blobs
import Core
import Database
import KeepsakeWire
import Media
import Web

/// `POST /create-cove`: only for verified users. The cove and its cover are stored together.
struct CreateCove: Sendable {
    let store: CoveStore
    let presenter: CovePresenter
    let gate: UploadGate

    func handle(_ body: IncomingJSON, _ context: WebContext) async throws -> Kept<CreatedCove> {
        let account = try context.requireViewer().accountID
        // An unverified account is refused before the picture arrives; the write checks again.
        try await store.database.read { [store] tx in try store.requireVerified(account, tx) }
        let session = UploadSession(rules: CoveRules.upload, gate: gate, owner: account)
        let (upload, input) = try await body.receive(into: session, as: CreateCoveInput.self)
        return try await upload.settle {
            let cover = upload.files.first.map { store.library.file($0, category: "cover", groupID: nil) }
            let cove = Cove(
                id: store.identifiers.next(), creator: account, name: try CoveRules.name(input.name),
                description: try CoveRules.description(input.description), location: try CoveRules.location(input.location),
                cover: cover?.id, coverOwner: cover.map { _ in account }, joining: .id, memberCount: 1, eventCount: 0,
                createdAt: store.identifiers.clock.now)
            return try await store.create(cove, by: account, cover: cover) { [presenter] tx in
                try context.idempotency.keep(presenter.created(cove, "The cove was created."), creating: [cove.resource], tx)
            }
        }
    }
}
