package import Core
internal import Foundation
internal import KeepsakeWire

/// What `keepsake invite` prints.
package struct Invitation: Sendable, CustomStringConvertible, CustomReflectable {
    package let code: String
    package let expiresAt: Timestamp

    package var description: String { "•••" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

struct InvitePerson: Sendable {
    let store: AccountStore
    let clock: WallClock
    let entropy: Entropy

    /// - Parameter email: the only e-mail address that can register with the code; `nil` for any.
    /// - Throws: `.invalid` naming `email` or `expires`.
    func callAsFunction(email: String?, lifetime: Duration) async throws -> Invitation {
        guard InvitationRules.lifetimes.contains(lifetime) else {
            throw Problem(.invalid, "An invitation can be valid for a minute to 365 days.", field: "expires")
        }
        let code = OneTimeCode(entropy: entropy)
        let now = clock.now
        let new = NewInvitation(
            hash: code.hash, emailHash: try email.map(AccountRules.email).map(code.hash(with:)), createdAt: now, expiresAt: now + lifetime)
        try await store.addInvitation(new)
        return Invitation(code: code.text, expiresAt: new.expiresAt)
    }
}
