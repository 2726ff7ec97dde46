import Blobs
import Core
import KeepsakeWire
import Search
import Web

/// `POST /api/users/user/{userId}/multimedia/swift`: stores 1…10 files of at most 50 MB, or of the size that the operator sets. The
/// response lists rejected files; the others are stored.
struct UploadMedia: Sendable {
    let store: MediaStore
    let rules: UploadRules
    let gate: UploadGate
    let presenter: MediaPresenter
    let identifiers: Identifiers

    func handle(_ input: OwnerPath, _ form: IncomingForm, _ context: WebContext) async throws -> Kept<UploadResponse> {
        let owner = try context.requireViewer().accountID
        let upload = try await form.receive(into: UploadSession(rules: rules, gate: gate, owner: owner))
        return try await upload.settle {
            var labels = try MediaRules.labels(upload.texts)
            guard !upload.files.isEmpty else {
                throw Self.problem(upload.refusals)
                    ?? Problem(.invalid, "There is no file in the request; send 1…10 under `file` or `image`.", field: "file")
            }
            // The files get a group even if only one of them is kept: a client may send the refused ones again, into the same group.
            if labels.groupID == nil, upload.files.count + upload.refusals.count > 1 { labels.groupID = identifiers.next() }
            let groupID = labels.groupID
            let files = zip(upload.files, identifiers.descending(upload.files.count)).map { file, id in
                var asset = NewAsset(file, id: id, labels: labels)
                asset.isAlone = true
                return asset
            }
            let words = try await SearchWords(labels.searchTexts, in: context)
            return try await store.add(files, words, owner: owner) { assets, tx in
                let response = UploadResponse(
                    files: assets.map { UploadedFile(data: FileData(presenter.item($0))) },
                    errors: upload.refusals.isEmpty ? nil : upload.refusals.map(\.line), groupId: groupID,
                    refused: upload.refusals.isEmpty ? nil : upload.refusals.map { RefusedFile($0.file) })
                return try context.idempotency.keep(response, creating: assets.map(\.resource), tx)
            }
        }
    }

    /// The error when no file is kept.
    private static func problem(_ refusals: [ReceivedUpload.Refusal]) -> Problem? {
        guard var problem = refusals.first?.problem else { return nil }
        if refusals.count > 1 {
            problem.message = refusals.map(\.line).joined(separator: "\n")
            problem.files = refusals.map(\.file)
        }
        return problem
    }
}

extension ReceivedUpload.Refusal {
    fileprivate var file: Problem.File { Problem.File(index: number, name: name, problem: problem) }
}
