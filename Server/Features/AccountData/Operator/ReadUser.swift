import Accounts
import Core
import KeepsakeWire
import Web

/// `GET /admin/users/{id}`: an account with its usage and its sessions.
struct ReadUser: Sendable {
    let accounts: AccountsFeature
    let quota: QuotaOfAccount

    /// - Throws: `.forbidden` unless the caller is an administrator; `.notFound`.
    func handle(_ input: AdminUserPath, _ context: WebContext) async throws -> AdminUserPage {
        let administrator = try context.requireAdministrator()
        return try await page(of: input.id, current: administrator.sessionID)
    }

    func page(of id: String, current: String?) async throws -> AdminUserPage {
        let account = try await accounts.summary(id: id)
        return AdminUserPage(
            user: AdminUser(account, try await quota.usage(of: account.id)),
            sessions: try await accounts.sessions(of: account.id, current: current))
    }
}
