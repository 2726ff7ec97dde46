import Core
import KeepsakeWire
import Search
import Web

/// `PATCH /api/users/user/{userId}/multimedia/{id}`: absent fields are unchanged, `null` clears a field.
struct UpdateMedia: Sendable {
    let store: MediaStore
    let presenter: MediaPresenter

    func check(_ parameters: [String: String], _ context: WebContext) async throws {
        guard try await store.asset(parameters["id"] ?? "", owner: context.requireViewer().accountID) != nil else {
            throw Problem.noSuchFile
        }
    }

    func handle(_ input: UpdateMediaInput, _ context: WebContext) async throws -> MediaResponse {
        let change = try MediaChange(input)
        let owner = try context.requireViewer().accountID
        let asset = try await SearchIndex.splitting(in: context) { split in
            try await store.update(input.id, owner: owner, change, split: split)
        }
        guard let asset else { throw Problem.noSuchFile }
        return MediaResponse(file: presenter.item(asset))
    }
}
