internal import Core
internal import Foundation
internal import KeepsakeWire

/// An account, as the store reads it.
struct Account: Sendable, Equatable {
    let id: String
    /// Normalised: see `AccountRules.email`.
    let email: String?
    let name: String?
    let isAdmin: Bool
    let isPro: Bool
    let createdAt: Timestamp

    var user: User { User(id: id, email: email, name: name, createdAt: createdAt.date, isProUser: isPro) }
}
