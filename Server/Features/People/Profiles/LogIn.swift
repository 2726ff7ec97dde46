import Core
import KeepsakeWire
import Web

/// `POST /login`: describes the caller. The request's credential identifies the caller; the body is ignored.
struct LogIn: Sendable {
    let store: ProfileStore

    func handle(_ input: Empty, _ context: WebContext) async throws -> CoveLogin {
        let account = try context.requireViewer().accountID
        let standing = try await store.standing(of: account)
        let user = CoveUser(
            uid: account, onboarding: !standing.hasOnboarded, verified: standing.isVerified, cove: standing.cove)
        return CoveLogin(message: "Signed in.", user: user)
    }
}
