import Core
import KeepsakeWire
import Web

/// `POST /query-upload/{queryId}`: the photo or the recording of a question, stored like those of captures.
struct UploadQuery: Sendable {
    let uploads: UploadCapture

    /// Questions' files have names of their own, so that none replaces the file of a capture.
    private static let prefix = "query."

    func handle(_ input: QueryUploadInput, _ form: IncomingForm, _ context: WebContext) async throws -> Kept<QueryUploadResponse> {
        guard CaptureRules.isID(input.queryId) else {
            throw Problem(.invalid, "A question's id has 1 to 128 letters, digits, dots, dashes or underscores.", field: "queryId")
        }
        let plain = Self.prefix + input.queryId
        let id = CaptureRules.isID(plain) ? plain : Self.prefix + CaptureRules.digest(input.queryId)
        return try await uploads.receive(form, as: id, context) { QueryUploadResponse(url: $0, queryId: input.queryId) }
    }
}
