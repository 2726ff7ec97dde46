import Core
import KeepsakeWire
import Web

/// `GET /captures/{id}`
struct ReadCapture: Sendable {
    let store: CaptureStore
    let presenter: CapturePresenter

    func handle(_ input: ItemPath, _ context: WebContext) async throws -> Capture {
        guard let whole = try await store.whole(input.id, owner: context.requireViewer().accountID) else { throw Problem.noSuchCapture }
        return presenter.capture(whole)
    }
}
