import Accounts
import Core
import Database
import KeepsakeWire
import Web

/// `GET /admin/users`: all accounts, newest first, or those that match `query`.
struct ListUsers: Sendable {
    let accounts: AccountsFeature
    let quota: QuotaOfAccount
    let cursors: Cursors

    /// - Throws: `.forbidden` unless the caller is an administrator; `.invalid` naming `limit`, `cursor` or `query`.
    func handle(_ input: ListAdminUsersInput, _ context: WebContext) async throws -> AdminUserList {
        let administrator = try context.requireAdministrator()
        let limit = try PageSize.read(input.limit)
        guard let query = try TextRules.optionalLine(input.query, field: "query", max: 254) else {
            let paging = try Paging<TimeKey>("users", of: [administrator.accountID], after: input.cursor, limit: limit, cursors)
            let page = try await accounts.summaries(paging.request)
            return AdminUserList(users: try await quota.users(page.rows), nextCursor: paging.cursor(page.next))
        }
        let paging = try Paging<EmailKey>(
            "users by address", of: [administrator.accountID, query], after: input.cursor, limit: limit, cursors)
        if let account = try await accounts.summary(matching: query) {
            return AdminUserList(users: try await quota.users([account]), nextCursor: nil)
        }
        let page = try await accounts.summaries(emailsFrom: query, paging.request)
        return AdminUserList(users: try await quota.users(page.rows), nextCursor: paging.cursor(page.next))
    }
}
