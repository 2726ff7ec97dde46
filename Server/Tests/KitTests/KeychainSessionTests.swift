import Foundation
import KeepsakeTesting
import KeepsakeWire
import Synchronization
import Testing

@testable import KeepsakeKit

/// The rules of the token store in the keychain. The tests use a replacement for the keychain, because Linux has none.
@Suite("KeepsakeKit's session in the keychain", .timeLimit(.minutes(1)))
struct KeychainSessionTests {
    private func session(_ id: String) -> StoredSession {
        StoredSession(id: id, userID: "ada", accessToken: "a", refreshToken: "r", expiresAt: Date(timeIntervalSince1970: 1_800_000_000))
    }

    @Test("a session is added, replaced only if it is the expected one, and deleted; to delete nothing is no failure")
    func saving() throws {
        let keychain = StandInKeychain()
        let store = KeychainSession(item: keychain)
        #expect(try store.load() == nil)
        #expect(try store.save(session("1"), replacing: nil))
        #expect(try store.load() == session("1"))
        #expect(try !store.save(session("2"), replacing: "other") && store.load() == session("1"))
        #expect(try store.save(session("2"), replacing: "1") && store.load() == session("2"))
        #expect(try !store.save(nil, replacing: "1") && store.load() == session("2"))
        #expect(try store.save(nil, replacing: "2") && store.load() == nil)
        #expect(try store.save(nil, replacing: nil))
    }

    @Test("a locked keychain is unavailable, not empty, and keeps what it has")
    func locked() throws {
        let keychain = StandInKeychain()
        let store = KeychainSession(item: keychain)
        #expect(try store.save(session("1"), replacing: nil))
        keychain.setLocked(true)
        #expect { try store.load() } throws: { Self.isUnavailable($0) }
        #expect { try store.save(nil, replacing: nil) } throws: { Self.isUnavailable($0) }
        #expect { try store.save(session("2"), replacing: nil) } throws: { Self.isUnavailable($0) }
        #expect { try store.save(session("2"), replacing: "1") } throws: { Self.isUnavailable($0) }
        keychain.setLocked(false)
        #expect(try store.load() == session("1"))
    }

    private static func isUnavailable(_ error: any Error) -> Bool { (error as? KeepsakeError)?.code == .storeUnavailable }

    @Test("what another program stored is no session, and a sign-in replaces it")
    func foreign() throws {
        let keychain = StandInKeychain(Data("password".utf8))
        let store = KeychainSession(item: keychain)
        #expect(try store.load() == nil)
        #expect(try store.save(session("1"), replacing: nil) && store.load() == session("1"))
    }

    @Test("a call while the device is locked fails and may be repeated; after it is unlocked, the session goes on")
    func calls() async throws {
        let (server, keychain) = (FakeServer(), StandInKeychain())
        let tokens = StandInTokenStore(session: KeychainSession(item: keychain))
        try await server.client(tokens: tokens).auth.register(email: "ada@example.org", password: "correct horse")
        keychain.setLocked(true)
        // The app was launched in the background while the device is locked.
        let client = server.client(tokens: tokens)
        await #expect { try await client.auth.me() } throws: {
            ($0 as? KeepsakeError)?.code == .storeUnavailable && ($0 as? KeepsakeError)?.isRetryable == true
        }
        keychain.setLocked(false)
        #expect(try await client.auth.me().email == "ada@example.org")
    }
}

/// Behaves like an item of Apple's keychain that can be read only while the device is unlocked.
private final class StandInKeychain: KeychainItem {
    private let state: Mutex<(data: Data?, isLocked: Bool)>

    init(_ data: Data? = nil) { state = Mutex((data, false)) }

    func setLocked(_ isLocked: Bool) { state.withLock { $0.isLocked = isLocked } }

    func read() -> (status: Int32, data: Data?) {
        state.withLock { state in
            if state.isLocked { return (KeychainStatus.locked, nil) }
            return (state.data == nil ? KeychainStatus.notFound : KeychainStatus.success, state.data)
        }
    }

    func update(_ data: Data) -> Int32 { change(needsItem: true) { $0 = data } }

    func add(_ data: Data) -> Int32 { change(needsItem: false) { $0 = data } }

    func delete() -> Int32 { change(needsItem: true) { $0 = nil } }

    private func change(needsItem: Bool, _ body: (inout Data?) -> Void) -> Int32 {
        state.withLock { state in
            if state.isLocked { return KeychainStatus.locked }
            if needsItem, state.data == nil { return KeychainStatus.notFound }
            body(&state.data)
            return KeychainStatus.success
        }
    }
}

private struct StandInTokenStore: TokenStore {
    let session: KeychainSession<StandInKeychain>

    func load() async throws -> StoredSession? { try session.load() }

    func save(_ session: StoredSession?, replacing expected: StoredSession.ID?) async throws -> Bool {
        try self.session.save(session, replacing: expected)
    }
}
