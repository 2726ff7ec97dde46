internal import Core
internal import Crypto
internal import JWTKit
internal import KeepsakeWire
internal import Synchronization

/// The keys that sign access tokens. The table is authoritative; this actor caches a copy.
actor SigningKeys {
    /// A copy of the ring, ready for use.
    struct Loaded: Sendable {
        let ring: KeyRing
        /// Contains exactly the keys of `ring`. For an unknown `kid` it would use any of its keys, so look the `kid` up in the ring first.
        let signers: Secret<JWTKeyCollection>
        /// By `kid`.
        let published: [String: KeySet.Key]
    }

    /// Minimum time between two reads for unknown `kid`s. Any client can send an unknown `kid`, so reads must not follow each of them.
    static let reloadPause = Duration.seconds(3)

    private let store: AccountStore
    private let clock: WallClock
    private let identifiers: Identifiers
    private var loaded: (keys: Loaded, at: Timestamp)? {
        didSet { shared.withLock { $0 = loaded?.keys } }
    }
    /// The keys of `loaded`, for callers that only verify, so that they need not wait for the actor.
    private nonisolated let shared = Mutex<Loaded?>(nil)
    /// The read that runs now. This actor owns it; callers await it, and it ends before the reference is dropped.
    private var loading: Task<Loaded, any Error>?

    init(store: AccountStore, clock: WallClock, entropy: Entropy) {
        self.store = store
        self.clock = clock
        identifiers = Identifiers(clock: clock, entropy: entropy)
    }

    /// The keys, one of which may sign. They come from the cache, unless it is empty or the next key is due: then `reload` reads and renews
    /// them.
    func current() async throws -> Loaded {
        if let loaded, !loaded.keys.ring.isDue(at: clock.now) { return loaded.keys }
        return try await reload()
    }

    /// The cached keys, if `kid` is among them.
    nonisolated func loaded(having kid: String) -> Loaded? {
        shared.withLock { $0 }.flatMap { $0.ring.key(kid, at: clock.now) == nil ? nil : $0 }
    }

    /// The keys; reads them again if `kid` is not among them and the last read is older than `reloadPause`.
    func keys(having kid: String) async throws -> Loaded {
        let now = clock.now
        guard let loaded else { return try await current() }
        if loaded.keys.ring.key(kid, at: now) != nil { return loaded.keys }
        let age = now - loaded.at
        // A negative age means that the clock was set back, so it does not count.
        if age >= .zero, age < Self.reloadPause, loading == nil { return loaded.keys }
        return try await reload()
    }

    /// Reads the table, and renews the ring when a key is due. Concurrent callers share one read.
    @discardableResult
    func reload() async throws -> Loaded {
        if let loading { return try await loading.value }
        let task = Task { try await read() }
        loading = task
        defer { loading = nil }
        let keys = try await task.value
        loaded = (keys, clock.now)
        return keys
    }

    private nonisolated func read() async throws -> Loaded {
        let now = clock.now
        var ring = try await store.keys()
        if ring.isDue(at: now) || !ring.retired(at: now).isEmpty {
            let candidate = SigningKey(
                kid: identifiers.next(), privateKey: Secret(Array(P256.Signing.PrivateKey().rawRepresentation)), createdAt: now,
                signsFrom: now)
            ring = try await store.renewKeys(with: candidate, at: now)
        }
        return try await Loaded(ring)
    }
}

extension SigningKeys.Loaded {
    init(_ ring: KeyRing) async throws {
        let signers = JWTKeyCollection()
        var published: [String: KeySet.Key] = [:]
        for key in ring.keys {
            let privateKey = try P256.Signing.PrivateKey(rawRepresentation: key.privateKey.exposed)
            await signers.add(ecdsa: try ES256PrivateKey(backing: privateKey), kid: JWKIdentifier(string: key.kid))
            // 0x04, then both coordinates (SEC 1 §2.3.3).
            let point = Array(privateKey.publicKey.x963Representation)
            published[key.kid] = KeySet.Key(kid: key.kid, x: Base64URL.encode(point[1..<33]), y: Base64URL.encode(point[33..<65]))
        }
        self.init(ring: ring, signers: Secret(signers), published: published)
    }
}
