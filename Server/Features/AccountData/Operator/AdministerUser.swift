import Accounts
import Core
import KeepsakeWire
import Logging
import Web

/// `POST /admin/users/{id}/suspend`, and likewise `restore`, `verify` and `unverify`.
struct AdministerUser: Sendable {
    let action: AccountOperations.Action
    let operations: AccountOperations
    let logger: Logger

    /// - Throws: `.forbidden` unless the caller is an administrator; `.notFound`; `.conflict` when administrators suspend themselves.
    func handle(_ input: AdminUserPath, _ context: WebContext) async throws -> AdminUser {
        let administrator = try context.requireAdministrator()
        // Nobody else might be left who could undo it.
        guard action != .suspend || input.id != administrator.accountID else {
            throw Problem(.conflict, "You cannot suspend your own account.")
        }
        let done = try await operations.perform(action, on: input.id)
        logger.notice(
            "an administrator changed an account",
            metadata: [
                "action": "\(action.rawValue)", "account": "\(done.account.id)", "administrator": "\(administrator.accountID)",
                "changed": "\(done.isChanged)",
            ])
        return AdminUser(done.account)
    }
}

extension AdminUser {
    init(_ account: AccountSummary) {
        self.init(
            id: account.id, name: account.name, email: account.email, phone: account.phone, createdAt: account.createdAt.date,
            suspendedAt: account.suspendedAt?.date, verifiedAt: account.verifiedAt?.date, isAdmin: account.isAdmin)
    }
}
