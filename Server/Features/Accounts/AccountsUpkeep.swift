internal import Core

/// Every ten minutes: reads the keys other processes made, makes the next one in time, and forgets what is over.
struct AccountsUpkeep: Sendable {
    /// Well below `KeyRing.lead`, so that every process knows a key before it signs.
    static let pause = Duration.minutes(10)

    let keys: SigningKeys
    let store: AccountStore
    let clock: WallClock

    /// Nothing depends on one round: keys are read and made when they are needed, too.
    func callAsFunction() async throws {
        try await keys.reload()
        try await store.sweepSessions(at: clock.now)
        try await store.sweepInvitations(at: clock.now)
        try await store.sweepResets(at: clock.now)
        try await store.sweepIdentities(at: clock.now)
    }
}
