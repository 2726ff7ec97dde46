package import Core
internal import Web

/// An account as the operator sees it.
package struct AccountSummary: Sendable, Equatable {
    package let id: String
    package let email: String?
    package let name: String?
    /// In E.164.
    package let phone: String?
    package let isAdmin: Bool
    package let createdAt: Timestamp
    /// When the operator verified it; `nil` when the operator has not.
    package let verifiedAt: Timestamp?
    /// When the operator suspended it; `nil` for an account that is not suspended.
    package let suspendedAt: Timestamp?
}

/// The sort key of a list by e-mail address. No two accounts have the same address.
package struct EmailKey: CursorKey {
    let email: String

    init(email: String) { self.email = email }

    package static let partCount = 1
    package var cursorParts: [String] { [email] }
    package init?(cursorParts parts: [String]) { self.init(email: parts[0]) }
}
