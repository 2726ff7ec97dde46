internal import Core
internal import KeepsakeWire
internal import Web

/// `PATCH /user/me`
struct UpdateMe: Sendable {
    let store: AccountStore
    let files: (any AccountFiles)?

    /// - Throws: `.invalid` naming `email`, `password`, `name` or `time_zone`.
    func handle(_ body: UpdateMeBody, _ context: WebContext) async throws -> User {
        if body.hasEmail {
            throw Problem(.invalid, "PATCH /user/me does not change the e-mail address. POST /auth/email/change does.", field: "email")
        }
        if body.hasPassword {
            throw Problem(
                .invalid, "PATCH /user/me does not change the password. POST /auth/password/change does.", field: "password")
        }
        return try await self(body.input, context.requireViewer())
    }

    /// - Throws: `.invalid` naming `name` or `time_zone`.
    func callAsFunction(_ input: UpdateMeInput, _ viewer: Viewer) async throws -> User {
        var change = AccountStore.AccountChange()
        switch input.name {
        case .unchanged: break
        case .clear: change.name = .some(nil)
        case .set(let name): change.name = .some(try AccountRules.name(name))
        }
        switch input.outsideEngines {
        case .unchanged: break
        case .clear: change.allowsOutsideEngines = true
        case .set(let allows): change.allowsOutsideEngines = allows
        }
        switch input.timeZone {
        case .unchanged: break
        case .clear: change.timeZone = .some(nil)
        case .set(let name): change.timeZone = .some(try AccountRules.timeZone(name))
        }
        let account =
            change.isEmpty
            ? try await store.ownAccount(viewer.accountID, files) : try await store.update(viewer.accountID, change, files)
        guard let account else { throw Problem.accountGone }
        return account.user
    }
}
