internal import Core

/// What a verified token says about its user's phone number.
struct PhoneProof: Sendable, Equatable {
    /// In E.164.
    let number: String
    /// When the token was issued.
    let provedAt: Timestamp
}

/// What is known about an account's phone number.
struct KnownPhone: Sendable, Equatable {
    /// In E.164; `nil` when the account has proved none, or another account has proved it by a newer token.
    let number: String?
    /// The time at which the newest token with a number of this account was issued; `nil` when there was none.
    let provedAt: Timestamp?

    static let none = KnownPhone(number: nil, provedAt: nil)

    /// Whether a token that was issued at `time` is newer. A token of the same second does not count as newer. Otherwise two such tokens
    /// would replace each other's number on every request.
    func isOlder(than time: Timestamp) -> Bool { provedAt.map { $0 < time } ?? true }
}
