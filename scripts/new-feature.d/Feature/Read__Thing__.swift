import Core
import KeepsakeWire
import Web

/// `GET /api/users/user/{userId}/__things__/{id}`: returns a __thing__.
struct Read__Thing__: Sendable {
    let store: __Thing__Store
    let presenter: __Thing__Presenter

    func handle(_ input: EntryPath, _ context: WebContext) async throws -> __Thing__Response {
        guard let __thing__ = try await store.__thing__(input.id, owner: context.requireViewer().accountID) else {
            throw Problem.noSuch__Thing__
        }
        return __Thing__Response(__thing__: presenter.data(__thing__))
    }
}
