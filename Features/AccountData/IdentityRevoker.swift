package import Database

/// What an account has with others: Apple, for one, wants to hear that its tokens are of no use any more. Given where everything is
/// wired; without one nothing is told to anybody.
package struct IdentityRevoker: Sendable {
    /// In the write that closes the account: what must hold from that moment on, for example that a token issued before is refused.
    package let close: @Sendable (_ account: String, WriteTransaction) throws -> Void
    /// Before the account's rows are erased, outside of any write; called again when it throws, and after a crash.
    package let revoke: @Sendable (_ account: String) async throws -> Void

    package init(
        close: @escaping @Sendable (_ account: String, WriteTransaction) throws -> Void,
        revoke: @escaping @Sendable (_ account: String) async throws -> Void
    ) {
        self.close = close
        self.revoke = revoke
    }

    package static let none = IdentityRevoker(close: { _, _ in }, revoke: { _ in })
}
