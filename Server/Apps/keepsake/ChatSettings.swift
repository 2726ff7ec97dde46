import Chat
import Core
import Foundation
import Intelligence
import Outbound

/// The settings of the models that answer in chats.
struct ChatSettings: Sendable {
    enum Named: String, CaseIterable { case gemini, openai, librechat }

    /// A provider outside the installation.
    struct Provider: Sendable {
        var engine: Named
        var base: String
        var key: Secret<String>?
        /// The provider's models, at least one. The first is the default.
        var models: [String]
    }

    /// The providers; the first is the default. If empty, `local` answers.
    var providers: [Provider] = []
    /// Limits that are not configurable; tests change them.
    var limits = ChatCallLimits()
    var tuning = ChatFeature.Tuning()
}

extension Settings.Source {
    func chat(_ options: Options) throws -> ChatSettings {
        var settings = ChatSettings()
        guard let named = text(options.chatModel, "chat_model"), named != "local" else { return settings }
        let names = Self.items(named)
        let urls = try lists(options.chatModelURL, "chat_model_url", count: names.count)
        let keys = try lists(options.chatModelKey, "chat_model_key", count: names.count)
        let models = try lists(options.chatModelModel, "chat_model_model", count: names.count)
        for (index, word) in names.enumerated() {
            guard let engine = ChatSettings.Named(rawValue: word), !settings.providers.contains(where: { $0.engine == engine }) else {
                throw Settings.Wrong(
                    description: "\(name("chat_model")) must be local, or one or several of gemini, openai, librechat: \(named)")
            }
            settings.providers.append(try provider(engine, urls[index], keys[index], models[index]))
        }
        return settings
    }

    private func provider(_ engine: ChatSettings.Named, _ url: String, _ key: String, _ models: String) throws -> ChatSettings.Provider {
        if !url.isEmpty { try checkEngineURL(url, "chat_model_url") }
        let usual: (base: String?, model: String?) =
            switch engine {
            case .gemini: ("https://generativelanguage.googleapis.com", "gemini-2.5-flash-lite")
            case .openai: ("https://api.openai.com", "gpt-4o-mini")
            case .librechat: (nil, nil)
            }
        guard let base = url.isEmpty ? usual.base : url else {
            throw Settings.Wrong(description: "KEEPSAKE_CHAT_MODEL=\(engine.rawValue) needs KEEPSAKE_CHAT_MODEL_URL")
        }
        guard !key.isEmpty || !url.isEmpty else {
            throw Settings.Wrong(
                description: """
                    KEEPSAKE_CHAT_MODEL=\(engine.rawValue) needs KEEPSAKE_CHAT_MODEL_KEY, or the KEEPSAKE_CHAT_MODEL_URL of a server that needs \
                    no key
                    """)
        }
        if !key.isEmpty { try checkEngineKey(key, "chat_model_key") }
        let allowed = models.split(separator: " ").map(String.init)
        // A model's name becomes a part of a URL's path.
        for model in allowed where !model.utf8.allSatisfy({ Self.isOfName($0) }) || model.contains("..") {
            throw Settings.Wrong(description: "\(name("chat_model_model")) must be letters, digits and -._:/@: \(model)")
        }
        let names = allowed.isEmpty ? usual.model.map { [$0] } ?? [] : allowed
        guard !names.isEmpty else {
            throw Settings.Wrong(description: "KEEPSAKE_CHAT_MODEL=\(engine.rawValue) needs KEEPSAKE_CHAT_MODEL_MODEL")
        }
        return ChatSettings.Provider(engine: engine, base: base, key: key.isEmpty ? nil : Secret(key), models: names)
    }

    /// A setting with one item for each provider.
    private func lists(_ flag: String?, _ key: String, count: Int) throws -> [String] {
        guard let text = text(flag, key) else { return Array(repeating: "", count: count) }
        let items = Self.items(text)
        // The message does not quote the items: they may be secrets.
        guard items.count == count else {
            throw Settings.Wrong(
                description: "\(name(key)) must have an item for each of KEEPSAKE_CHAT_MODEL, separated by commas; an item may be empty")
        }
        return items
    }

    private static func items(_ text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingCharacters(in: .whitespaces) }
    }
}

extension Settings {
    /// The models that answer in chats, with the names that clients use for their providers.
    func chatProviders(_ platform: FeaturePlatform, allowsOutside: @escaping ProviderClient.Permission) -> ChatProviders {
        // This timeout is for the whole answer, not for a piece of it. The time limit in `ChatFeature.Tuning` is not longer.
        let timeout = chat.tuning.timeout
        return ChatProviders(
            chat.providers.map { provider in
                ChatProviders.Provider(
                    endpoints: Self.endpoints(provider.engine),
                    models: provider.models.map { model -> any ChatModel in
                        switch provider.engine {
                        case .gemini:
                            GeminiChat(
                                platform.chatProvider(
                                    GeminiModel.address(base: provider.base, key: provider.key, model: model, timeout: timeout),
                                    permits: allowsOutside),
                                limits: chat.limits)
                        case .openai:
                            OpenAIChat(
                                platform.chatProvider(
                                    OpenAIAddress.make(base: provider.base, key: provider.key, model: model, timeout: timeout),
                                    permits: allowsOutside),
                                limits: chat.limits)
                        case .librechat:
                            LibreChatModel(
                                platform.chatProvider(
                                    LibreChatModel.address(base: provider.base, key: provider.key, model: model, timeout: timeout),
                                    permits: allowsOutside),
                                endpoint: "google", limits: chat.limits)
                        }
                    })
            })
    }

    private static func endpoints(_ engine: ChatSettings.Named) -> [String] {
        switch engine {
        case .gemini: ["google", "gemini"]
        case .openai: ["openAI", "azureOpenAI", "custom"]
        case .librechat: ["librechat", "agents"]
        }
    }
}
