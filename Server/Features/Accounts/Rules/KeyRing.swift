internal import Core

/// A key that signs access tokens, as the store reads it.
struct SigningKey: Sendable, Equatable {
    let kid: String
    /// The 32 bytes of a P-256 private key.
    let privateKey: Secret<[UInt8]>
    let createdAt: Timestamp
    /// When the key begins to sign. It is published before.
    let signsFrom: Timestamp
}

/// Decides which key signs, which keys are accepted, and when a new one is due. Pure.
struct KeyRing: Sendable, Equatable {
    /// A key signs for this long.
    static let rotation = Duration.days(30)
    /// A new key is published for this long before it signs, so that caches of the key set contain it in time.
    static let lead = Duration.hours(1)
    /// A key is accepted for this long after its last token expired: a node with a slow clock or an old copy of the ring may have kept
    /// signing with it.
    static let grace = Duration.minutes(15)

    /// In the order in which they sign.
    let keys: [SigningKey]

    init(_ keys: [SigningKey]) { self.keys = keys.sorted { ($0.signsFrom, $0.kid) < ($1.signsFrom, $1.kid) } }

    /// The key that signs; `nil` only when the ring is empty. If the clock was set back to before the first key's time, the first key
    /// signs.
    func signer(at now: Timestamp) -> SigningKey? { keys.last { $0.signsFrom <= now } ?? keys.first }

    /// Whether a new key is due.
    func isDue(at now: Timestamp) -> Bool {
        guard let newest = keys.last else { return true }
        return newest.signsFrom + Self.rotation <= now
    }

    /// The time from which a new key signs. The first key signs immediately, since there is no other.
    func nextSignsFrom(at now: Timestamp) -> Timestamp { keys.isEmpty ? now : now + Self.lead }

    /// The keys whose tokens are accepted; the key set publishes them.
    func accepted(at now: Timestamp) -> [SigningKey] { keys.filter { !isRetired($0, now) } }

    func key(_ kid: String, at now: Timestamp) -> SigningKey? { keys.first { $0.kid == kid && !isRetired($0, now) } }

    /// The keys that can be deleted.
    func retired(at now: Timestamp) -> [SigningKey] { keys.filter { isRetired($0, now) } }

    private func isRetired(_ key: SigningKey, _ now: Timestamp) -> Bool {
        guard let index = keys.firstIndex(of: key), index + 1 < keys.count else { return false }
        return keys[index + 1].signsFrom + SessionRules.accessLifetime + Self.grace <= now
    }
}
