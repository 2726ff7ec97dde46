import Core
import KeepsakeWire
import Web

/// `POST /onboard`: makes the caller's profile, once.
struct Onboard: Sendable {
    let store: ProfileStore
    let clock: WallClock

    func handle(_ input: OnboardInput, _ context: WebContext) async throws -> MessageResponse {
        let account = try context.requireViewer().accountID
        try await store.onboard(try ProfileRules.values(input, now: clock.now), account)
        return MessageResponse(message: "Your profile is complete.")
    }
}
