import Core
import KeepsakeWire
import Web

/// `POST /delete-photo`: deletes one of the caller's photos and its file.
struct DeletePhoto: Sendable {
    let store: PhotoStore

    func handle(_ input: DeletePhotoInput, _ context: WebContext) async throws -> MessageResponse {
        guard try await store.delete(TextRules.trimmed(input.photoId), context.requireViewer().accountID) else { throw Problem.noSuchPhoto }
        return MessageResponse(message: "The photo was deleted.")
    }
}
