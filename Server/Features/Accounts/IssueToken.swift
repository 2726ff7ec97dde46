internal import Core
package import Foundation
internal import KeepsakeWire
internal import Web

/// What `keepsake token` prints: an account and the tokens that sign it in. The command needs access to the database, but no password.
package struct IssuedToken: Encodable, Sendable, CustomStringConvertible, CustomReflectable {
    package let userID: String
    package let accessToken: String
    package let refreshToken: String
    /// When the access token expires.
    package let expiresAt: Date
    /// Whether the command created the account. The JSON omits it.
    package let isNewAccount: Bool

    enum CodingKeys: String, CodingKey {
        case userID = "user_id"
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresAt = "expires_at"
    }

    /// One line of JSON. It contains both tokens; its date has six fractional digits.
    package func json() throws -> String {
        let encoder = Surface.capsules.makeEncoder()
        encoder.outputFormatting.insert(.sortedKeys)
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    package var description: String { "•••" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

struct IssueToken: Sendable {
    let store: AccountStore
    let tokens: TokenPairs

    /// Creates the account if it does not exist, whatever the registration setting says.
    /// - Parameter isAdmin: `true` makes the account an administrator; `false` does not change it.
    /// - Throws: `.invalid` naming `email`; `.suspended`.
    func callAsFunction(email: String, isAdmin: Bool) async throws -> IssuedToken {
        let new = AccountStore.NewAccount(
            id: tokens.identifiers.next(), email: try AccountRules.email(email), name: nil, passwordHash: nil, isAdmin: isAdmin,
            createdAt: tokens.clock.now)
        let account = try await store.ensureAccount(new)
        try account.requireActive()
        let (session, token) = try await tokens.prepare(account: account.id, from: SessionOrigin(.tool))
        guard try await store.openSession(session) else { throw Problem.accountGone }
        return IssuedToken(
            userID: account.id, accessToken: token.accessToken, refreshToken: token.refreshToken, expiresAt: token.expiresAt,
            isNewAccount: account.id == new.id)
    }
}
