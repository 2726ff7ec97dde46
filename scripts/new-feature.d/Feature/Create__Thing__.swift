import Blobs
import Core
import KeepsakeWire
import Media
import Web

/// `POST /api/users/user/{userId}/__things__`: stores a __thing__ and its file in one transaction.
struct Create__Thing__: Sendable {
    let store: __Thing__Store
    let presenter: __Thing__Presenter
    let library: MediaLibrary
    let gate: UploadGate
    let identifiers: Identifiers

    func handle(_ input: OwnerPath, _ form: IncomingForm, _ context: WebContext) async throws -> Kept<__Thing__Response> {
        let owner = try context.requireViewer().accountID
        let upload = try await form.receive(into: UploadSession(rules: __Thing__Rules.upload, gate: gate, owner: owner))
        return try await upload.settle {
            let title = try __Thing__Rules.title(upload.texts["title"])
            guard let received = upload.files.first, upload.files.count == 1 else {
                throw Problem(.invalid, "Send one file under `file`; got \(upload.files.count).", field: "file")
            }
            let file = library.file(received, category: __Thing__.kind, groupID: nil)
            let __thing__ = __Thing__(
                id: identifiers.next(), owner: owner, title: title, createdAt: identifiers.clock.now, file: file.id)
            return try await store.add(__thing__, file: file) { [presenter] tx in
                let answer = __Thing__Response(__thing__: presenter.data(__thing__))
                return try context.idempotency.keep(answer, creating: [__thing__.resource], tx)
            }
        }
    }
}
