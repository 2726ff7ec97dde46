import Core
import KeepsakeWire
import Web

/// `PATCH /captures/{id}`: the user's own transcription; the capture is analysed again.
struct CorrectCapture: Sendable {
    let store: CaptureStore
    let presenter: CapturePresenter

    func handle(_ input: CorrectCaptureInput, _ context: WebContext) async throws -> Capture {
        let owner = try context.requireViewer().accountID
        let whole =
            switch input.transcription {
            case .unchanged: try await store.whole(input.id, owner: owner)
            case .clear: try await store.correct(input.id, owner: owner, to: nil)
            case .set(let text): try await store.correct(input.id, owner: owner, to: CaptureRules.transcription(text))
            }
        guard let whole else { throw Problem.noSuchCapture }
        return presenter.capture(whole)
    }
}
