import Core
import KeepsakeWire
import Web

/// `POST /edit-profile`: changes the caller's profile. An absent field keeps its value; `null` or an empty text clears it.
struct EditProfile: Sendable {
    let store: ProfileStore
    let clock: WallClock

    func handle(_ input: EditProfileInput, _ context: WebContext) async throws -> MessageResponse {
        let now = clock.now
        let hasProfile = try await store.edit(context.requireViewer().accountID) { old in
            try ProfileRules.apply(input, to: old, now: now)
        }
        guard hasProfile else { throw Problem.noProfile }
        return MessageResponse(message: "Your profile was changed.")
    }
}
