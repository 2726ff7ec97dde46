import Core
import KeepsakeWire
import Web

/// `DELETE /admin/users/{id}`
struct RemoveUser: Sendable {
    let remove: AccountRemoval

    /// - Throws: `.forbidden` unless the caller is an administrator; `.notFound`; `.conflict` when administrators delete themselves.
    func handle(_ input: DeleteAdminUserInput, _ context: WebContext) async throws -> DeletedAccount {
        let administrator = try context.requireAdministrator()
        guard input.id != administrator.accountID else {
            throw Problem(.conflict, "You cannot delete your own account here. POST /auth/delete deletes it.")
        }
        return try await remove(input.id, keepsCoves: input.keepCoves ?? false, by: .administrator(administrator.accountID))
    }
}
