import Blobs
import Core
import KeepsakeWire
import Media
import Search
import Web

/// `POST /api/chat/files/upload`: stores one file of at most 100 MB. The response has the text of a document if it is read in time.
struct UploadChatFile: Sendable {
    let store: ChatFileStore
    let texts: ChatFileTexts
    let gate: UploadGate

    func handle(_ input: Empty, _ form: IncomingForm, _ context: WebContext) async throws -> Kept<ChatFileObject> {
        let owner = try context.requireViewer().accountID
        let upload = try await form.receive(into: UploadSession(rules: ChatFileRules.upload, gate: gate, owner: owner))
        return try await upload.settle {
            let received = try upload.requireFile("file")
            let type = try ChatFileRules.type(of: received)
            if type.isImage { try ChatFileRules.checkSize(upload.texts) }
            let endpoint = try ChatFileRules.label(upload.texts["endpoint"], field: "endpoint")
            let toolResource = try ChatFileRules.label(upload.texts["tool_resource"], field: "tool_resource")
            let outcome = try await read(received.blob.key, type, owner: owner, context)
            let text: String? = if case .text(let text) = outcome { text } else { nil }
            var file = ChatFile(
                id: "", owner: owner, name: received.name ?? "", type: type, byteCount: received.blob.byteCount,
                width: received.facts.width, height: received.facts.height, textState: outcome.state, endpoint: endpoint,
                toolResource: toolResource, createdAt: store.clock.now)
            let bytes = store.library.unlistedFile(received, type: type.rawValue, rowBytes: file.rowBytes(text: text))
            file.id = bytes.id
            let stored = file
            let words = try await SearchWords(ChatFileStore.document(stored, text).texts, in: context)
            return try await store.add(stored, text: text, words, bytes) { tx in
                try context.idempotency.keep(
                    stored.wire(text: text, success: true), creating: [MediaLibrary.resource(stored.id)], tx)
            }
        }
    }

    /// Reads the file's text. The request waits without an admission slot, and no longer than its client.
    private func read(
        _ key: BlobKey, _ type: ChatFileType, owner: String, _ context: WebContext
    ) async throws -> ChatFileTexts.Outcome {
        do {
            return try await context.withoutSlot {
                try await context.whileClientIsPresent { [texts] in try await texts.readWithinRequest(key, type, owner: owner) }
            }
        } catch is CancellationError {
            // Throw a `Problem`, so that the upload's bytes are deleted. Status 408 keeps it out of the error log.
            throw Problem(.timeout, "The client closed the request before the file was stored.")
        }
    }
}

extension ChatFileTexts.Outcome {
    fileprivate var state: ChatFile.TextState {
        switch self {
        case .text: .ready
        case .none: .none
        case .deferred: .pending
        }
    }
}
