internal import Core
internal import Logging
internal import ServiceLifecycle

/// While the server runs: reads the keys other processes made, makes the next one in time, and forgets what is over.
struct AccountsUpkeep: Service, CustomStringConvertible {
    /// Well below `KeyRing.lead`, so that every process knows a key before it signs.
    static let pause = Duration.minutes(10)

    let keys: SigningKeys
    let store: AccountStore
    let clock: WallClock
    let logger: Logger

    var description: String { "accounts upkeep" }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await once()
                try? await Task.sleep(for: Self.pause)
            }
        }
    }

    func once() async {
        do {
            try await keys.reload()
            try await store.sweepSessions(at: clock.now)
        } catch {
            // Nothing depends on this round: keys are read and made when they are needed, too.
            logger.warning("accounts upkeep failed; it will be tried again", metadata: ["error": "\(error)"])
        }
    }
}
