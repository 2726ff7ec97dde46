import Blobs
import Core
import KeepsakeWire
import Media
import Web

/// `POST /upload/{captureId}`: the photo or the recording of a capture, before or after the capture itself.
struct UploadCapture: Sendable {
    let store: CaptureStore
    let library: MediaLibrary
    let gate: UploadGate
    let links: CaptureLinks

    private static let rules = UploadRules(kinds: [MediaLibrary.captured], textFields: [], keepsTheOthers: false)

    func handle(_ input: CaptureUploadInput, _ form: IncomingForm, _ context: WebContext) async throws -> Kept<CaptureUploadResponse> {
        guard CaptureRules.isID(input.captureId) else {
            throw Problem(.invalid, "A capture's id has 1 to 128 letters, digits, dots, dashes or underscores.", field: "captureId")
        }
        return try await receive(form, as: input.captureId, context) { CaptureUploadResponse(url: $0, captureId: input.captureId) }
    }

    /// Stores the form's file.
    /// - Parameter id: the id of a capture, or that of a question's file (`UploadQuery`). The file replaces an earlier one with the same id
    ///   and of the same kind (photo or recording).
    func receive<Answer: Codable & Sendable>(
        _ form: IncomingForm, as id: String, _ context: WebContext, answer: @escaping @Sendable (_ url: String) -> Answer
    ) async throws -> Kept<Answer> {
        let owner = try context.requireViewer().accountID
        let upload = try await form.receive(into: UploadSession(rules: Self.rules, gate: gate, owner: owner))
        return try await upload.settle {
            let received = try upload.requireFile("file")
            let file = library.file(received, category: StoredCapture.kind, groupID: nil)
            guard let type = file.type, let kind = CaptureFileRow.Kind(type.kind) else {
                throw Problem(.unprocessable, "The content is neither a photo nor a recording.", field: "file")
            }
            let response = answer(links.upload(owner: owner, capture: id, kind: kind, type: type, media: file.id))
            return try await store.attach(file, kind, type: type, to: id, owner: owner) { tx in
                try context.idempotency.keep(response, creating: [MediaLibrary.resource(file.id)], tx)
            }
        }
    }
}

extension CaptureFileRow.Kind {
    init?(_ kind: MediaType.Kind) {
        switch kind {
        case .image: self = .photo
        case .audio: self = .audio
        case .video: return nil
        }
    }
}
