import Core
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/multimedia/{id}`
struct ReadMedia: Sendable {
    let store: MediaStore
    let presenter: MediaPresenter

    func handle(_ input: EntryPath, _ context: WebContext) async throws -> MediaResponse {
        guard let asset = try await store.asset(input.id, owner: context.requireViewer().accountID) else { throw Problem.noSuchFile }
        return MediaResponse(file: presenter.item(asset))
    }
}

extension Problem {
    /// Answers alike for a file that does not exist and for one that belongs to another account.
    static let noSuchFile = Problem(.notFound, "There is no such file.")
}
