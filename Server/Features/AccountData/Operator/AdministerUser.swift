import Accounts
import Core
import KeepsakeWire
import Web

/// `POST /admin/users/{id}/suspend`, and likewise `restore`, `verify`, `unverify`, `promote` and `demote`.
struct AdministerUser: Sendable {
    let action: AccountOperations.Action
    let operations: AccountOperations
    let quota: QuotaOfAccount

    /// - Throws: `.forbidden` unless the caller is an administrator; `.notFound`; `.conflict` when administrators suspend or demote
    ///   themselves, and when the owner of a suspended account would become an administrator.
    func handle(_ input: AdminUserPath, _ context: WebContext) async throws -> AdminUser {
        let administrator = try context.requireAdministrator()
        // Refuse this, because there might be no other administrator who could undo it.
        if input.id == administrator.accountID {
            if action == .suspend { throw Problem(.conflict, "You cannot suspend your own account.") }
            if action == .demote { throw Problem(.conflict, "You cannot take the right of an administrator from your own account.") }
        }
        let done = try await operations.perform(action, on: input.id, by: .administrator(administrator.accountID))
        return AdminUser(done.account, try await quota.usage(of: done.account.id))
    }
}
