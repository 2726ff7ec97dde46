internal import Core

/// Runs every ten minutes: reads the keys that other processes made, makes the next key when it is due, and deletes expired rows.
struct AccountsUpkeep: Sendable {
    /// Well below `KeyRing.lead`, so that every process knows a key before that key signs.
    static let pause = Duration.minutes(10)

    let keys: SigningKeys
    let store: AccountStore
    let clock: WallClock

    /// Reloads the signing keys, and deletes what has expired. A run that fails does no harm: keys are also read and made on demand.
    func callAsFunction() async throws {
        try await keys.reload()
        try await store.sweepSessions(at: clock.now)
        try await store.sweepInvitations(at: clock.now)
        try await store.sweepResets(at: clock.now)
        try await store.sweepEmailChanges(at: clock.now)
        try await store.sweepRegistrations(at: clock.now)
        try await store.sweepIdentities(at: clock.now)
    }
}
