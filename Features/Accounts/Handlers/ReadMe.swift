internal import Core
internal import Wire

/// `GET /user/me`
struct ReadMe: Sendable {
    let store: AccountStore

    func callAsFunction(_ viewer: Viewer) async throws -> User {
        guard let account = try await store.account(viewer.accountID) else { throw Problem.accountGone }
        return account.user
    }
}

extension Problem {
    /// Deleted between the check of the credential and now.
    static let accountGone = Problem(.unauthenticated, "This account does not exist any more.")
}
