import Accounts
import Core
import KeepsakeWire
import Web

/// `POST /admin/users/{id}/quota`
struct SetQuota: Sendable {
    let accounts: AccountsFeature
    let quota: QuotaOfAccount

    /// - Throws: `.forbidden` unless the caller is an administrator; `.notFound`; `.invalid` naming `bytes`.
    func handle(_ input: AdminQuotaInput, _ context: WebContext) async throws -> AdminUser {
        let administrator = try context.requireAdministrator()
        let bytes: Int64?
        switch input.bytes {
        case .unchanged:
            throw Problem(.invalid, "bytes is missing. Send a number of bytes, or null for the server's quota.", field: "bytes")
        case .clear: bytes = nil
        case .set(let count): bytes = Int64(count)
        }
        try await quota.set(bytes, of: input.id, by: .administrator(administrator.accountID))
        return AdminUser(try await accounts.summary(id: input.id), try await quota.usage(of: input.id))
    }
}
