internal import Core
internal import KeepsakeWire
internal import Web

/// `GET /.well-known/jwks.json`
struct PublishKeys: Sendable {
    let keys: SigningKeys
    let clock: WallClock

    func handle(_ input: Empty, _ context: WebContext) async throws -> KeySet { try await self() }

    /// The keys whose tokens are accepted, and the next signing key.
    func callAsFunction() async throws -> KeySet {
        let loaded = try await keys.current()
        return KeySet(keys: loaded.ring.accepted(at: clock.now).compactMap { loaded.published[$0.kid] })
    }
}
