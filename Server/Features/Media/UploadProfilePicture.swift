import Blobs
import Core
import KeepsakeWire
import Search
import Web

/// `POST /api/users/user/{userId}/profile-picture/swift`: stores one picture of at most 10 MB and deletes the previous one.
struct UploadProfilePicture: Sendable {
    let store: MediaStore
    let gate: UploadGate
    let presenter: MediaPresenter
    let identifiers: Identifiers

    func handle(_ input: OwnerPath, _ form: IncomingForm, _ context: WebContext) async throws -> Kept<ProfilePictureResponse> {
        let owner = try context.requireViewer().accountID
        // The same transaction deletes the previous picture, so an account at its quota can still change its picture.
        let replacing = try await store.profilePicture(of: owner)?.byteCount ?? 0
        let upload = try await form.receive(
            into: UploadSession(rules: MediaRules.profilePicture, gate: gate, owner: owner, replacing: replacing))
        return try await upload.settle {
            let file = try upload.requireFile("file")
            let picture = NewAsset(file, id: identifiers.next(), labels: MediaRules.Labels(category: "profile", tags: []))
            return try await store.add([picture], SearchWords(picture.labels.searchTexts), owner: owner, asProfilePicture: true) {
                assets, tx in
                // Apps pass this link on, so it leads to the picture as others see it: without a position.
                let response = ProfilePictureResponse(imageUrl: presenter.sharedLink(assets[0].id, owner: owner))
                return try context.idempotency.keep(response, creating: [assets[0].resource], tx)
            }
        }
    }
}
