import Core
import KeepsakeWire
import Web

/// `GET /api/chat/models`: the models that may answer the caller.
struct ListModels: Sendable {
    let providers: ChatProviders
    let allowsOutside: @Sendable (_ account: String) async throws -> Bool

    func handle(_ input: Empty, _ context: WebContext) async throws -> ChatModels {
        ChatModels(models: providers.list(allowsOutside: try await allowsOutside(context.requireViewer().accountID)))
    }
}
