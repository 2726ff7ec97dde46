import Core
import KeepsakeWire
import Search
import Web

/// `PATCH /captures/{id}`: replaces the transcription by the user's own. The capture is then analysed again.
struct CorrectCapture: Sendable {
    let store: CaptureStore
    let presenter: CapturePresenter

    func handle(_ input: CorrectCaptureInput, _ context: WebContext) async throws -> Capture {
        let owner = try context.requireViewer().accountID
        let whole =
            switch input.transcription {
            case .unchanged: try await store.whole(input.id, owner: owner)
            case .clear: try await correct(input.id, owner: owner, to: nil, context)
            case .set(let text): try await correct(input.id, owner: owner, to: CaptureRules.transcription(text), context)
            }
        guard let whole else { throw Problem.noSuchCapture }
        return presenter.capture(whole)
    }

    private func correct(
        _ id: String, owner: String, to transcription: String?, _ context: WebContext
    ) async throws -> CaptureStore.Whole? {
        let words = try await SearchWords(StoredCapture.texts(of: transcription), in: context)
        return try await store.correct(id, owner: owner, to: transcription, words)
    }
}
