internal import Core

/// A key that signs access tokens, as the store keeps it.
struct SigningKey: Sendable, Equatable {
    let kid: String
    /// The 32 bytes of a P-256 private key.
    let privateKey: Secret<[UInt8]>
    let createdAt: Timestamp
    /// Published before, used from here on.
    let signsFrom: Timestamp
}

/// Which key signs, which are accepted and when there must be another. Pure.
struct KeyRing: Sendable, Equatable {
    /// A key signs for this long.
    static let rotation = Duration.days(30)
    /// A new key is published for this long before it signs: caches of the key set learn it before they need it.
    static let lead = Duration.hours(1)
    /// A key is accepted for this long after its last token ended: a node whose clock or whose copy of the ring is behind may have
    /// gone on signing with it.
    static let grace = Duration.minutes(15)

    /// In the order in which they sign.
    let keys: [SigningKey]

    init(_ keys: [SigningKey]) { self.keys = keys.sorted { ($0.signsFrom, $0.kid) < ($1.signsFrom, $1.kid) } }

    /// `nil` only when the ring is empty. Before the first key's time (a clock set back) the first one signs.
    func signer(at now: Timestamp) -> SigningKey? { keys.last { $0.signsFrom <= now } ?? keys.first }

    /// True when another key is to be made.
    func isDue(at now: Timestamp) -> Bool {
        guard let newest = keys.last else { return true }
        return newest.signsFrom + Self.rotation <= now
    }

    /// When a key made now begins to sign: the first at once, for there is no other.
    func nextSignsFrom(at now: Timestamp) -> Timestamp { keys.isEmpty ? now : now + Self.lead }

    /// Those whose tokens are accepted, and which the key set shows.
    func accepted(at now: Timestamp) -> [SigningKey] { keys.filter { !isRetired($0, now) } }

    func key(_ kid: String, at now: Timestamp) -> SigningKey? { keys.first { $0.kid == kid && !isRetired($0, now) } }

    /// Those that nothing needs any more.
    func retired(at now: Timestamp) -> [SigningKey] { keys.filter { isRetired($0, now) } }

    private func isRetired(_ key: SigningKey, _ now: Timestamp) -> Bool {
        guard let index = keys.firstIndex(of: key), index + 1 < keys.count else { return false }
        return keys[index + 1].signsFrom + SessionRules.accessLifetime + Self.grace <= now
    }
}
