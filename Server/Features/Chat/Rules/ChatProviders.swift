package import Intelligence
import KeepsakeWire

/// The models that may answer, and which of them answers a message.
package struct ChatProviders: Sendable {
    /// A provider with the models that clients may choose.
    package struct Provider: Sendable {
        /// The provider's names in requests, for example `google`. The list of models shows the first.
        let endpoints: [String]
        /// The provider's models, at least one. The first is the default.
        let models: [any ChatModel]

        /// - Parameter models: at least one; the first is the default.
        package init(endpoints: [String], models: [any ChatModel]) {
            precondition(!endpoints.isEmpty && !models.isEmpty, "a provider has a name and a model")
            self.endpoints = endpoints
            self.models = models
        }
    }

    /// Who answers a message.
    enum Choice: Sendable {
        case model(any ChatModel)
        case local(LocalReason)

        var provider: String {
            switch self {
            case .model(let model): model.provider
            case .local: ChatProviders.local
            }
        }

        var model: String {
            switch self {
            case .model(let model): model.model
            case .local: ChatProviders.local
            }
        }
    }

    /// Why no model answers.
    enum LocalReason: Sendable, CaseIterable {
        case notConfigured
        /// The user does not allow engines outside the installation.
        case refused
        /// The client asked for a local answer.
        case chosen
    }

    static let local = "local"

    private let providers: [Provider]

    /// - Parameter providers: the default provider comes first; if empty, `local` answers.
    package init(_ providers: [Provider]) { self.providers = providers }

    var all: [any ChatModel] { providers.flatMap(\.models) }

    /// - Parameters:
    ///   - endpoint: the provider's name in the request; an unknown name selects the default provider.
    ///   - model: the model's name in the request; a name that the provider does not have selects its default model.
    ///   - allowsOutside: whether the user allows engines outside the installation.
    func choose(_ endpoint: String, _ model: String?, allowsOutside: Bool) -> Choice {
        guard let first = providers.first else { return .local(.notConfigured) }
        guard allowsOutside else { return .local(.refused) }
        let name = endpoint.lowercased()
        guard name != Self.local else { return .local(.chosen) }
        let provider = providers.first { $0.endpoints.contains { $0.lowercased() == name } } ?? first
        return .model(provider.models.first { $0.model == model } ?? provider.models[0])
    }

    /// The models that may answer a user, the default first.
    func list(allowsOutside: Bool) -> [ChatModels.Model] {
        let local = ChatModels.Model(endpoint: Self.local, model: Self.local, provider: Self.local, isLocal: true)
        guard allowsOutside else { return [local] }
        return providers.flatMap { provider in
            provider.models.map {
                ChatModels.Model(endpoint: provider.endpoints[0], model: $0.model, provider: $0.provider, isLocal: false)
            }
        } + [local]
    }
}
