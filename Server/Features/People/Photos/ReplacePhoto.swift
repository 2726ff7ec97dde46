import Blobs
import Core
import KeepsakeWire
import Media
import Web

/// `POST /userImageUpdate`: replaces the file of one of the caller's photos.
struct ReplacePhoto: Sendable {
    let store: PhotoStore
    let gate: UploadGate
    let library: MediaLibrary

    func handle(_ body: IncomingJSON, _ context: WebContext) async throws -> Kept<PhotoResponse> {
        let account = try context.requireViewer().accountID
        // The client chooses the order of the JSON members, so the picture may arrive before `photoId`. Until then, assume that it replaces
        // the caller's largest photo. The write counts the exact size.
        let replacing = try await store.largestByteCount(of: account)
        let session = UploadSession(rules: PhotoRules.upload, gate: gate, owner: account, replacing: replacing)
        let (upload, input) = try await body.receive(into: session, as: ReplacePhotoInput.self)
        return try await upload.settle {
            guard let received = upload.files.first else { throw PhotoRules.missing("data") }
            let file = library.file(received, category: "photo", groupID: nil)
            return try await store.replace(TextRules.trimmed(input.photoId), with: file, account) { photo, tx in
                let answer = PhotoResponse(
                    message: "The photo was replaced.", photo: PhotoPresenter(library: library).photo(photo, owner: account))
                return try context.idempotency.keep(answer, creating: [MediaLibrary.resource(photo.media)], tx)
            }
        }
    }
}
