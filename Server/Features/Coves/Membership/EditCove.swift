import Blobs
import Core
import KeepsakeWire
import Media
import Web

/// `POST /edit-cove`: only for ADMINs.
struct EditCove: Sendable {
    let store: CoveStore
    let presenter: CovePresenter
    let gate: UploadGate

    func handle(_ body: IncomingJSON, _ context: WebContext) async throws -> CreatedCove {
        let account = try context.requireViewer().accountID
        let session = UploadSession(rules: CoveRules.upload, gate: gate, owner: account)
        let (upload, input) = try await body.receive(into: session, as: EditCoveInput.self)
        let cove = try await upload.settle {
            let id = try CoveRules.id(input.coveId, field: "coveId")
            let change = try CoveChange(input)
            let cover = upload.files.first.map { store.library.file($0, category: "cover", groupID: nil) }
            return try await store.edit(id, by: account, change, cover: cover)
        }
        return presenter.created(cove, "The cove was changed.")
    }
}
