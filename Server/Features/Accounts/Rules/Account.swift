internal import Core
internal import Foundation
internal import KeepsakeWire
internal import Web

/// An account, as the store reads it.
struct Account: Sendable, Equatable {
    let id: String
    /// Normalised: see `AccountRules.email`.
    let email: String?
    let name: String?
    let isAdmin: Bool
    let isPro: Bool
    let createdAt: Timestamp
    /// When the operator suspended it; `nil` for an account that may sign in.
    var suspendedAt: Timestamp?
    /// Whether engines outside the installation may get the account's data.
    var allowsOutsideEngines = true
    /// An IANA name; `nil` for the server's time zone.
    var timeZone: String?

    /// Call it for the account of every credential, before the credential is accepted.
    /// - Throws: `Problem.suspended`.
    func requireActive() throws {
        if suspendedAt != nil { throw Problem.suspended }
    }

    var user: User {
        User(
            id: id, email: email, name: name, createdAt: createdAt.date, isProUser: isPro, outsideEngines: allowsOutsideEngines,
            timeZone: timeZone)
    }
}
