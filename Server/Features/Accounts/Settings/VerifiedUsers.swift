/// Who counts as a verified user. An account that the operator verified always counts.
package enum VerifiedUsers: String, Sendable, CaseIterable {
    /// Every account.
    case everybody
    /// Accounts that have proved a phone number, or that an identity of Apple signs in to.
    case phone
    /// Only accounts that the operator verified.
    case allowlist
}
