import Foundation
import HTTPTypes
import KeepsakeWire

/// The access token of one request, with the sign-in and the account that it belongs to.
struct Credential: Sendable, Equatable {
    /// The id of the sign-in. Each sign-in has its own.
    var sessionID: StoredSession.ID
    var userID: String
    var accessToken: String
}

/// Whether somebody is signed in, as an app can show it.
public enum AuthState: Sendable, Equatable {
    case signedIn(userID: String)
    /// - Parameter refused: whether the server refused the session's tokens; otherwise the app signed out.
    case signedOut(refused: Bool)
}

/// Keeps the tokens of the current sign-in fresh.
///
/// Each sign-in has its own id, which the store keeps with the tokens. If a response arrives after a sign-out or another sign-in, its id is
/// no longer current, and the response changes nothing.
actor Session {
    /// If an access token expires in fewer seconds than this, the session refreshes it before it uses it.
    static let refreshMargin = 300.0

    private let store: any TokenStore
    private let clock: KeepsakeClock
    private let randomness: KeepsakeRandomness
    /// Whether the session compares the ids of sign-ins. Only one test sets `false`, to show what would go wrong.
    private let checksGenerations: Bool

    private var current: StoredSession?
    /// Number of sign-ins and sign-outs that began. Only the latest one may take effect.
    private var attempts = 0
    /// Sessions that this process ended. It does not use them again, even if the store could not delete them.
    private var ended: Set<StoredSession.ID> = []
    private var refreshing: (id: StoredSession.ID, task: Task<StoredSession, any Error>)?
    /// Sign-ins write to the store one after the other.
    private var lastSignIn: Task<Void, Never>?
    /// Whether the store has older tokens than `current`.
    private var isUnsaved = false
    /// Seconds that the server's clock is ahead of the device's.
    private var serverOffset: Double?
    private var observers: [Int: AsyncStream<AuthState>.Continuation] = [:]
    private var observerCount = 0

    init(store: any TokenStore, clock: KeepsakeClock, randomness: KeepsakeRandomness, checksGenerations: Bool = true) {
        self.store = store
        self.clock = clock
        self.randomness = randomness
        self.checksGenerations = checksGenerations
    }

    // MARK: Credentials

    /// The credential for a call. Refreshes the tokens first if they are about to expire.
    /// - Parameter id: the session that the call belongs to; `nil` means the current one.
    func credential(for id: StoredSession.ID?, through client: Client) async throws -> Credential {
        var session = try await loaded()
        try check(id, session)
        if isUnsaved { await saveAgain() }
        if session.expiresAt.timeIntervalSince(serverNow) < Self.refreshMargin {
            do {
                session = try await renew(session, through: client)
            } catch let error as KeepsakeError where error.isRetryable && session.expiresAt > serverNow {
                // The token is still valid for a while, so the call need not wait for the network or the store.
            }
            try check(id, session)
        }
        return credential(session)
    }

    /// Gets new tokens after the server refused a request with the token of `used`.
    func renewed(after used: Credential, through client: Client) async throws -> Credential {
        let session = try await loaded()
        try check(used.sessionID, session)
        if session.accessToken != used.accessToken { return credential(session) }
        let renewed = try await renew(session, through: client)
        try check(used.sessionID, renewed)
        return credential(renewed)
    }

    func isCurrent(_ credential: Credential) -> Bool { !checksGenerations || current?.id == credential.sessionID }

    /// The id of the current session. Throws the same errors as `credential`.
    func currentID() async throws -> StoredSession.ID { try await loaded().id }

    /// The ids of the current session and of its account. Throws the same errors as `credential`.
    func identity() async throws -> (sessionID: StoredSession.ID, userID: String) {
        let session = try await loaded()
        return (session.id, session.userID)
    }

    func user() async throws -> String? {
        do {
            return try await loaded().userID
        } catch let error as KeepsakeError where error.code == .signedOut {
            return nil
        }
    }

    private func credential(_ session: StoredSession) -> Credential {
        Credential(sessionID: session.id, userID: session.userID, accessToken: session.accessToken)
    }

    private func check(_ id: StoredSession.ID?, _ session: StoredSession) throws {
        guard checksGenerations else { return }
        guard id == nil || id == session.id, current?.id == session.id else { throw Self.changed }
    }

    private static let changed = KeepsakeError(.sessionChanged, "Somebody signed in or out during the call.")

    private func loaded() async throws -> StoredSession {
        while true {
            if let current { return current }
            let before = attempts
            // Read the store each time: another process may have signed in since the last time.
            let stored = try await store.load()
            guard before == attempts || !checksGenerations else { continue }
            if let current { return current }
            guard let stored, !ended.contains(stored.id) else { throw KeepsakeError(.signedOut, "Nobody is signed in.") }
            current = stored
            serverOffset = serverOffset ?? stored.serverOffset
            // Another process has signed in, or the store could not be read before.
            notify(.signedIn(userID: stored.userID))
            return stored
        }
    }

    // MARK: Refresh

    private func renew(_ old: StoredSession, through client: Client) async throws -> StoredSession {
        if let current, current.id == old.id, current.accessToken != old.accessToken { return current }
        if checksGenerations, current?.id != old.id { throw Self.changed }
        if let refreshing, refreshing.id == old.id { return try await refreshing.task.value }
        // The refresh has its own task. A cancelled caller does not cancel it, because others may wait for it, and the server may already
        // have replaced the token.
        let task = Task { try await self.refresh(old, through: client) }
        refreshing = (old.id, task)
        return try await task.value
    }

    private func refresh(_ old: StoredSession, through client: Client) async throws -> StoredSession {
        defer { if refreshing?.id == old.id { refreshing = nil } }
        let (store, checksGenerations) = (store, checksGenerations)
        let outcome = try await store.withRefreshLock { () -> Outcome in
            let stored = try await store.load()
            if checksGenerations {
                guard let stored, stored.id == old.id else { return .gone }
                // Another process has refreshed in the meantime.
                if stored.expiresAt > old.expiresAt { return .adopted(stored) }
            }
            do {
                let token = try await client.send(
                    AccountEndpoints.refresh, Client.Options(deadline: .seconds(30), repeats: true)
                ) { _ in RefreshInput(refreshToken: old.refreshToken) }
                return await self.accept(token, old)
            } catch let error as KeepsakeError where error.status == 401 && error.requestID != nil {
                // A response without the server's request id comes from a proxy. Such a refusal says nothing about the tokens, so the
                // session stays.
                await self.endRefused(old)
                return .refused(error)
            }
        }
        switch outcome {
        case .adopted(let session):
            guard current?.id == old.id else { throw Self.changed }
            current = session
            return session
        case .renewed(let session): return session
        case .gone:
            // Another process has signed out or signed in. The next call reads the store again.
            if current?.id == old.id {
                current = nil
                notify(.signedOut(refused: false))
            }
            throw Self.changed
        case .refused(let error): throw error
        }
    }

    private enum Outcome: Sendable {
        case adopted(StoredSession)
        case renewed(StoredSession)
        case gone
        case refused(KeepsakeError)
    }

    /// Stores the new tokens. It runs while the refresh lock is held, so that the next process finds them.
    private func accept(_ token: AuthToken, _ old: StoredSession) async -> Outcome {
        if checksGenerations, current?.id != old.id { return .gone }
        var new = old
        new.accessToken = token.accessToken
        new.refreshToken = token.refreshToken
        new.expiresAt = token.expiresAt
        new.serverOffset = serverOffset ?? old.serverOffset
        // The client uses the new tokens even if they cannot be stored, because the server no longer accepts the old ones.
        current = new
        do {
            guard try await store.save(new, replacing: checksGenerations ? old.id : nil) else { return .gone }
            isUnsaved = false
        } catch {
            isUnsaved = true
        }
        return .renewed(new)
    }

    private func endRefused(_ old: StoredSession) async {
        if checksGenerations, current?.id != old.id { return }
        current = nil
        ended.insert(old.id)
        _ = try? await store.save(nil, replacing: checksGenerations ? old.id : nil)
        // If somebody signed in while the store was busy, that sign-in stays.
        if current == nil { notify(.signedOut(refused: true)) }
    }

    private func saveAgain() async {
        guard let session = current else { return }
        if (try? await store.save(session, replacing: session.id)) != nil, current == session { isUnsaved = false }
    }

    // MARK: Signing in and out

    /// Call this before the request for tokens. If another sign-in or a sign-out begins later, this sign-in has no effect.
    func beginSignIn() -> Int {
        attempts += 1
        return attempts
    }

    func signIn(_ attempt: Int, userID: String, _ token: AuthToken) async throws {
        let new = StoredSession(
            id: randomness.id(), userID: userID, accessToken: token.accessToken, refreshToken: token.refreshToken,
            expiresAt: token.expiresAt, serverOffset: serverOffset ?? 0)
        let previous = lastSignIn
        let task = Task {
            await previous?.value
            try await self.install(attempt, new)
        }
        lastSignIn = Task { _ = try? await task.value }
        try await task.value
    }

    private func install(_ attempt: Int, _ new: StoredSession) async throws {
        if checksGenerations, attempt != attempts { throw Self.changed }
        _ = try await store.save(new, replacing: nil)
        if checksGenerations, attempt != attempts {
            ended.insert(new.id)
            _ = try? await store.save(nil, replacing: new.id)
            throw Self.changed
        }
        current = new
        isUnsaved = false
        notify(.signedIn(userID: new.userID))
    }

    /// Signs out in this process and deletes the tokens from the store.
    /// - Returns: the session that ended, so that the caller can end it on the server too.
    /// - Throws: `store_unavailable`. Then this process is signed out, but the store still has the tokens: call again later.
    func signOut() async throws -> StoredSession? {
        attempts += 1
        let began = attempts
        let inMemory = current
        current = nil
        if let inMemory {
            ended.insert(inMemory.id)
            notify(.signedOut(refused: false))
            _ = try await store.save(nil, replacing: inMemory.id)
            return inMemory
        }
        let stored = try await store.load()
        guard let stored, began == attempts else { return nil }
        // If this call repeats a failed one, that one has already notified the observers.
        if ended.insert(stored.id).inserted { notify(.signedOut(refused: false)) }
        _ = try await store.save(nil, replacing: stored.id)
        return stored
    }

    // MARK: The server's clock

    /// The current time by the server's clock; by the device's clock as long as no response has contained the server's time.
    var time: Date { serverNow }

    private var serverNow: Date { clock.now().addingTimeInterval(serverOffset ?? 0) }

    func observe(_ response: HTTPResponse) {
        guard let date = response.headerFields[.date].flatMap(HTTPDate.parse) else { return }
        serverOffset = date.timeIntervalSince(clock.now())
    }

    // MARK: Observers

    func states() async -> AsyncStream<AuthState> {
        // Right after a launch, it is possible that no call has read the session from the store yet. So read it before the new observer
        // gets the current state. If the read fails, all observers are notified when a later call reads the session.
        _ = try? await loaded()
        observerCount += 1
        let number = observerCount
        let (stream, continuation) = AsyncStream.makeStream(of: AuthState.self, bufferingPolicy: .bufferingNewest(1))
        continuation.onTermination = { _ in Task { await self.forget(number) } }
        observers[number] = continuation
        if let current { continuation.yield(.signedIn(userID: current.userID)) }
        return stream
    }

    private func forget(_ number: Int) { observers[number] = nil }

    private func notify(_ state: AuthState) { for observer in observers.values { observer.yield(state) } }
}

/// The format of HTTP dates (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    static func parse(_ text: String) -> Date? {
        let parts = text.split(separator: " ")
        guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else { return nil }
        let number = month + 1
        return WireDate.parse("\(parts[3])-\(number < 10 ? "0" : "")\(number)-\(parts[1])T\(parts[4])Z")
    }
}
