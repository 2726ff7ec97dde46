import Database
import FeatureKit

/// Tells every feature that others no longer see an account, or see it again. Call it in the write that closes, suspends or restores the
/// account, before the account's own row changes.
struct AccountVisibility: Sendable {
    /// In the order of their migrations, for both calls: two writes then take their locks in the same order.
    let features: [any Feature]

    func hide(_ account: String, _ reason: HidingReason, _ tx: WriteTransaction) throws {
        for feature in features { try feature.hide(account, reason, tx) }
    }

    func show(_ account: String, _ tx: WriteTransaction) throws {
        for feature in features { try feature.show(account, tx) }
    }
}
