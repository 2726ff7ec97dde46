internal import Core
internal import Synchronization

/// Secrets of the installation, 32 bytes each, by name. A secret is created when it is first needed, and is then the same in every process.
final class ServerSecrets: Sendable {
    static let byteCount = 32

    private let store: AccountStore
    private let clock: WallClock
    private let entropy: Entropy
    /// Its size is bounded, because names are constants of the program and never come from a request.
    private let known = Mutex<[String: Secret<[UInt8]>]>([:])

    init(store: AccountStore, clock: WallClock, entropy: Entropy) {
        self.store = store
        self.clock = clock
        self.entropy = entropy
    }

    func secret(_ name: String) async throws -> Secret<[UInt8]> {
        if let secret = known.withLock({ $0[name] }) { return secret }
        let secret = try await store.secret(name, candidate: Secret(entropy.bytes(Self.byteCount)), at: clock.now)
        known.withLock { $0[name] = secret }
        return secret
    }
}
