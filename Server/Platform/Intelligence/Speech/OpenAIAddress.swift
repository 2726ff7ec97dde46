package import Core
package import Outbound

/// Servers with OpenAI's API: OpenAI itself, and many self-hosted ones.
package enum OpenAIAddress {
    /// - Parameter base: with or without `/v1`.
    package static func make(base: String, key: Secret<String>?, model: String, timeout: Duration) -> ProviderClient.Address {
        var base = base
        while base.hasSuffix("/") { base.removeLast() }
        if base.hasSuffix("/v1") { base.removeLast(3) }
        return ProviderClient.Address(
            engine: "openai", base: base, model: model, keyHeader: "Authorization", key: key.map { Secret("Bearer " + $0.exposed) },
            timeout: timeout)
    }
}
