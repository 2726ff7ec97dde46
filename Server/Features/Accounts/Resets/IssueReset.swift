package import Core
internal import Foundation

/// What `keepsake users reset` prints: a code that the operator passes on to the user.
package struct IssuedReset: Sendable, CustomStringConvertible, CustomReflectable {
    package let userID: String
    package let code: String
    /// `nil` when no reset page is configured.
    package let link: String?
    package let expiresAt: Timestamp

    package var description: String { "•••" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

struct IssueReset: Sendable {
    let store: AccountStore
    let codes: MailedCodes
    let clock: WallClock
    let hasher: PasswordHasher
    let notices: OwnerNotices
    let link: String?

    /// - Throws: `.invalid` naming `email` or `expires`; `.notFound` when there is no such account.
    func callAsFunction(email: String, lifetime: Duration) async throws -> IssuedReset {
        guard ResetRules.issuedLifetimes.contains(lifetime) else {
            throw Problem(.invalid, "A code can be valid for a minute to 7 days.", field: "expires")
        }
        let (reset, code) = try await codes.new(lifetime: lifetime)
        guard let account = try await store.addReset(reset, email: try AccountRules.email(email)) else { throw Self.unknown }
        return IssuedReset(userID: account, code: code.text, link: ResetRules.link(link, code: code), expiresAt: reset.expiresAt)
    }

    /// Sets the password at once, ends every session, and removes all identities that were linked after the account was made, unless
    /// `keepsIdentities`.
    /// - Throws: `.invalid` naming `email` or `password`; `.notFound` when there is no such account.
    func set(
        _ password: String, email: String, keepsIdentities: Bool
    ) async throws -> (userID: String, endedSessions: Int, removedIdentities: Int) {
        let email = try AccountRules.email(email)
        let hash = try await hasher.hash(try AccountRules.newPassword(password))
        let done = try await store.setPassword(
            email: email, to: hash.stored, keepingIdentities: keepsIdentities, at: clock.now, notices)
        guard let done else { throw Self.unknown }
        return (done.account, done.endedSessions, done.isRecentRemoved ? done.recent.count : 0)
    }

    private static let unknown = Problem(.notFound, "There is no account with that e-mail address.")
}
