import Core
import KeepsakeWire
import Web

/// `GET /profile`: what the caller may see of a person. Callers see everything of themselves.
struct ReadProfile: Sendable {
    let store: ProfileStore
    let presenter: ProfilePresenter

    func handle(_ input: ReadProfileInput, _ context: WebContext) async throws -> ProfileResponse {
        let viewer = try context.requireViewer().accountID
        let person = input.userId.map(TextRules.trimmed) ?? viewer
        guard let view = try await store.view(person, by: viewer) else { throw Problem.noSuchPerson }
        return ProfileResponse(message: "The profile.", profile: presenter.profile(view))
    }
}
