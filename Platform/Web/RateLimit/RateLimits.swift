import Wire

/// How much of each kind of request an account, or an address that has not signed in, may send.
package struct RateLimits: Sendable {
    /// Each try to sign in costs a token of the address and one of the account that is tried.
    package var signIn = Rate(perMinute: 20)
    /// What changes something.
    package var write = Rate(perMinute: 600)
    /// What only reads.
    package var read = Rate(perMinute: 3_000)

    /// Takes all of it along: five times, then one a minute. No setting.
    package var export = Rate(perMinute: 1, burst: 5)

    package init() {}

    subscript(_ kind: RateClass) -> Rate {
        switch kind {
        case .signIn: signIn
        case .write: write
        case .read: read
        case .export: export
        }
    }
}
