import KeepsakeWire

/// How much of each kind of request an account, or an address that has not signed in, may send.
package struct RateLimits: Sendable {
    /// Each try to sign in costs a token of the network, and one of the name that is tried by that network.
    package var signIn = Rate(perMinute: 20)
    /// It also costs a token of the name, whatever network tries, or of a device that signed in to the account before. Three networks may
    /// make mistakes at once; after that, tries come back ten times as slowly as to one network: with 20 a minute, 2 (2,880 a day).
    var signInByName: Rate { Rate(perMinute: max(1, signIn.perMinute / 10), burst: signIn.burst * 3) }
    /// What changes something.
    package var write = Rate(perMinute: 600)
    /// What only reads.
    package var read = Rate(perMinute: 3_000)

    /// Takes all of it along: five times, then one a minute. No setting.
    package var export = Rate(perMinute: 1, burst: 5)

    package init() {}

    func rate(_ kind: RateClass, _ subject: RateLimiter.Subject) -> Rate {
        switch subject {
        case .name, .device: signInByName
        default: self[kind]
        }
    }

    subscript(_ kind: RateClass) -> Rate {
        switch kind {
        case .signIn: signIn
        case .write: write
        case .read: read
        case .export: export
        }
    }
}
