import Core
import Database
import FeatureKit

/// Tells every feature that others no longer see an account, or that they see it again. Call it in the write that closes, suspends or
/// restores the account, before the account's own row changes.
struct AccountVisibility: Sendable {
    /// The features in the order of their migrations. `hide` and `show` both use this order, so that two writes take their locks in the
    /// same order.
    let features: [any Feature]
    private let turns = FairWork(
        FairSemaphore.Limits(permits: 1, permitsPerKey: 1, waiting: 512, waitingPerKey: 64, waitingPerNetwork: 256))

    private static let lock = "account visibility"

    init(features: [any Feature]) { self.features = features }

    /// Runs a write that calls `hide` or `show`. Such a write changes rows of many people and coves. So these writes run one after the
    /// other: otherwise two of them with people or coves in common could deadlock. On one node they take turns, and a waiting write holds
    /// no database connection. Writes of different nodes wait for a lock in the database.
    /// - Throws: the errors of `write` and `FairWork.turn`.
    func inTurn<T>(_ write: () async throws -> T) async throws -> T {
        let turn = try await turns.turn()
        defer { turn.release() }
        return try await write()
    }

    /// Runs the steps of `Feature.handingSteps` for an account that is about to be closed. Each step takes a turn of its own: there may be
    /// dozens of steps, and meanwhile others must be able to close accounts, and the operator to suspend them. Call it before the write
    /// that closes the account, and not in `inTurn`.
    /// - Parameter keepsCoves: whether the account's coves are kept.
    /// - Parameter check: runs at the start of each step's write. Between two steps, the account may be closed or suspended.
    func handOver(
        _ account: String, keepsCoves: Bool, in database: any Database,
        checking check: @escaping @Sendable (WriteTransaction) throws -> Void
    ) async throws {
        for steps in features.flatMap(\.handingSteps) where keepsCoves || !steps.onlyIfCovesAreKept {
            var last: String? = ""
            while let begin = last {
                last = try await inTurn { () async throws -> String? in
                    try await database.write { tx -> String? in
                        try check(tx)
                        try tx.lock(Self.lock)
                        return try steps.run(account, begin, tx)
                    }
                }
            }
        }
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
