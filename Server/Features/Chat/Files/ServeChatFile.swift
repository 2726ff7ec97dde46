import Core
import KeepsakeWire
import Media
import Web

/// `GET /api/chat/files/serve/images/{userId}/{name}` and `…/uploads/{userId}/{name}`: serves a file, only to its owner.
struct ServeChatFile: Sendable {
    let store: ChatFileStore
    let files: LibraryFiles
    /// Whether the route is the one for pictures.
    let isForImages: Bool

    func handle(_ input: ChatFilePath, _ context: WebContext) async throws -> ServedFile {
        let owner = try context.requireViewer().accountID
        let id = input.name.split(separator: ".", omittingEmptySubsequences: false).first.map(String.init) ?? ""
        guard let file = try await store.file(id, owner: owner), file.storedName == input.name, file.isImage == isForImages,
            let served = try await files.served(FileInput(userId: owner, fileId: id), named: file.name, context)
        else { throw Problem.noSuchChatFile }
        return served
    }
}

/// `DELETE /api/chat/files/{fileId}`: deletes a file, also from the messages that hold it.
struct DeleteChatFile: Sendable {
    let store: ChatFileStore

    func handle(_ input: ChatFileID, _ context: WebContext) async throws -> SuccessResponse {
        guard try await store.delete(input.fileId, owner: context.requireViewer().accountID) else { throw Problem.noSuchChatFile }
        return SuccessResponse()
    }
}
