import Foundation
import KeepsakeTesting
import Testing

@testable import KeepsakeKit

/// What `states()` tells an app about its sign-in.
@Suite("KeepsakeKit's states of the sign-in", .timeLimit(.minutes(1)))
struct AuthStatesTests {
    private func session(_ user: String, lasts seconds: Double = 86_400) -> StoredSession {
        StoredSession(id: "s-" + user, userID: user, accessToken: "a", refreshToken: "r", expiresAt: Date(timeIntervalSinceNow: seconds))
    }

    @Test("the session of the last launch is the first state, before any other call")
    func launch() async throws {
        let keepsake = FakeServer().client(tokens: MemoryTokenStore(session("ada")))
        var states = await keepsake.auth.states().makeAsyncIterator()
        let state1 = await states.next()
        #expect(state1 == .signedIn(userID: "ada"))
        try await keepsake.auth.signOut()
        let state2 = await states.next()
        #expect(state2 == .signedOut(refused: false))
    }

    @Test("a store that was locked at the launch is a state once it was read, and so is a sign-out without any call before")
    func locked() async throws {
        let store = LockableStore()
        _ = try await store.save(session("ada"), replacing: nil)
        await store.setLocked(true)
        let keepsake = FakeServer().client(tokens: store)
        var states = await keepsake.auth.states().makeAsyncIterator()
        let other = FakeServer().client(tokens: store)
        var others = await other.auth.states().makeAsyncIterator()
        await store.setLocked(false)
        #expect(try await keepsake.auth.userID == "ada")
        let state3 = await states.next()
        #expect(state3 == .signedIn(userID: "ada"))
        try await other.auth.signOut()
        let state4 = await others.next()
        #expect(state4 == .signedOut(refused: false))
    }

    @Test("a sign-out of another process shows when the tokens expire")
    func otherProcess() async throws {
        let store = LockableStore()
        _ = try await store.save(session("ada", lasts: 60), replacing: nil)
        let keepsake = FakeServer().client(tokens: store)
        var states = await keepsake.auth.states().makeAsyncIterator()
        let state5 = await states.next()
        #expect(state5 == .signedIn(userID: "ada"))
        _ = try await store.save(nil, replacing: nil)
        await #expect { try await keepsake.auth.me() } throws: { ($0 as? KeepsakeError)?.code == .sessionChanged }
        let state6 = await states.next()
        #expect(state6 == .signedOut(refused: false))
        await #expect { try await keepsake.auth.me() } throws: { ($0 as? KeepsakeError)?.code == .signedOut }
    }
}
