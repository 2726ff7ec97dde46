import Core
import Database
import FeatureKit

/// Tells every feature that others no longer see an account, or see it again. Call it in the write that closes, suspends or restores the
/// account, before the account's own row changes.
struct AccountVisibility: Sendable {
    /// In the order of their migrations, for both calls: two writes then take their locks in the same order.
    let features: [any Feature]
    private let turns = FairWork(
        "visibility of accounts",
        FairSemaphore.Limits(permits: 1, permitsPerKey: 1, waiting: 512, waitingPerKey: 64, waitingPerNetwork: 256))

    private static let lock = "account visibility"

    init(features: [any Feature]) { self.features = features }

    /// Runs a write that calls `hide` or `show`. Such writes change rows of many people and coves, and run one after the other: on this node
    /// by turns, so that those that wait hold no database connection, and on all nodes by a lock. Accounts that share people or coves and
    /// are deleted at the same time would otherwise wait for each other's locks.
    /// - Throws: what `write` throws, or as `FairWork.turn`.
    func inTurn<T>(_ write: () async throws -> T) async throws -> T {
        let turn = try await turns.turn()
        defer { turn.release() }
        return try await write()
    }

    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws {
        try tx.lock(Self.lock)
        for feature in features { try feature.hide(account, reason, tx) }
    }

    func show(_ account: String, _ tx: WriteTransaction) throws {
        try tx.lock(Self.lock)
        for feature in features { try feature.show(account, tx) }
    }
}
