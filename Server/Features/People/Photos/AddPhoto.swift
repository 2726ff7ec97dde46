import Blobs
import Core
import KeepsakeWire
import Media
import Web

/// `POST /userImage`: adds a photo to the caller's profile, or replaces the profile picture.
struct AddPhoto: Sendable {
    let store: PhotoStore
    let gate: UploadGate
    let library: MediaLibrary
    let identifiers: Identifiers

    func handle(_ body: IncomingJSON, _ context: WebContext) async throws -> Kept<PhotoResponse> {
        let account = try context.requireViewer().accountID
        // The client chooses the order of the JSON members, so `isProfilePic` may come last. Until then, assume that the upload replaces
        // the profile picture, so that an account at its quota can still change that picture.
        let replacing = try await library.profilePictureByteCount(of: account)
        let session = UploadSession(rules: PhotoRules.upload, gate: gate, owner: account, replacing: replacing)
        let (upload, input) = try await body.receive(into: session, as: AddPhotoInput.self)
        return try await upload.settle {
            guard let received = upload.files.first else { throw PhotoRules.missing("base64Image") }
            let isProfilePicture = input.isProfilePic ?? false
            let file = library.file(received, category: isProfilePicture ? "profile" : "photo", groupID: nil)
            return try await store.add(file, id: identifiers.next(), account, asProfilePicture: isProfilePicture) { photo, tx in
                let answer = PhotoResponse(
                    message: "The photo was added.", photo: PhotoPresenter(library: library).photo(photo, owner: account))
                return try context.idempotency.keep(answer, creating: [MediaLibrary.resource(photo.media)], tx)
            }
        }
    }
}
