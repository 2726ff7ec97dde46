import KeepsakeWire

/// The rate limits of each class of request, for an account, or for an address that has not signed in.
package struct RateLimits: Sendable {
    /// The rate of attempts to sign in. Each attempt costs one token of the client's network, and one token of the name together with the
    /// network.
    package var signIn = Rate(perMinute: 20)
    /// The rate of attempts to sign in for one name. Each attempt also costs one token of the name for all networks together, or one token
    /// of a device that has signed in to the account before. The burst is three times that of one network. After that, tokens refill at a
    /// tenth of the rate: with 20 a minute, 2 a minute (2,880 a day).
    var signInByName: Rate { Rate(perMinute: max(1, signIn.perMinute / 10), burst: signIn.burst * 3) }
    /// Requests that change something.
    package var write = Rate(perMinute: 600)
    /// Requests that only read.
    package var read = Rate(perMinute: 3_000)

    /// Exports of an account: a burst of five, then one a minute. Not configurable.
    package var export = Rate(perMinute: 1, burst: 5)

    /// Captures that arrive on the sockets of an account: a burst of 5,000, then 50 a second. Not configurable.
    package var capture = Rate(perMinute: 3_000, burst: 5_000)

    /// Calls of an account to engines outside the installation.
    package var outside = Rate(perMinute: 120)
    /// Such calls of all accounts of a network. Calls of jobs, which have no network, do not count.
    var outsideByNetwork: Rate {
        Rate(perMinute: min(4 * outside.perMinute, 1_000_000), burst: min(4 * outside.burst, 1_000_000))
    }

    package init() {}

    func rate(_ kind: RateClass, _ subject: RateLimiter.Subject) -> Rate {
        switch subject {
        case .name, .device: signInByName
        case .outside: outside
        case .outsideFrom: outsideByNetwork
        default: self[kind]
        }
    }

    subscript(_ kind: RateClass) -> Rate {
        switch kind {
        case .signIn: signIn
        case .write: write
        case .read: read
        case .export: export
        case .capture: capture
        }
    }
}
