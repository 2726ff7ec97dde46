public import Foundation

/// Keeps one session between launches. Several processes, for example an app and its share extension, may use the same store.
public protocol TokenStore: Sendable {
    /// - Returns: `nil` if nobody is signed in.
    /// - Throws: `KeepsakeError` with the code `store_unavailable` if the store cannot be read now. That does not mean that nobody is
    ///   signed in.
    func load() async throws -> StoredSession?

    /// Replaces the stored session in a single step.
    /// - Parameters:
    ///   - session: the new session; `nil` deletes the stored one.
    ///   - expected: the id of a session. The store writes only if it holds this session; `nil` means that it always writes.
    /// - Returns: whether the store wrote.
    /// - Throws: `store_unavailable`; then the store is unchanged.
    func save(_ session: StoredSession?, replacing expected: StoredSession.ID?) async throws -> Bool

    /// Runs `body`, which refreshes the tokens, while no other process that uses the store does the same.
    func withRefreshLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result
}

extension TokenStore {
    /// Runs `body` without a lock. This is enough for a store that only one process uses, because a process refreshes a session only once
    /// at a time.
    public func withRefreshLock<Result: Sendable>(_ body: @Sendable () async throws -> Result) async throws -> Result {
        try await body()
    }
}

/// The result of a sign-in, as a store keeps it. When it is printed, it shows no token.
public struct StoredSession: Codable, Sendable, Equatable, Identifiable, CustomStringConvertible, CustomReflectable {
    /// A random id, new for each sign-in. A refresh keeps it.
    public var id: String
    public var userID: String
    public var accessToken: String
    public var refreshToken: String
    /// The time at which the access token expires, by the server's clock.
    public var expiresAt: Date
    /// Seconds that the server's clock was ahead of the device's.
    public var serverOffset: Double

    public init(id: String, userID: String, accessToken: String, refreshToken: String, expiresAt: Date, serverOffset: Double = 0) {
        self.id = id
        self.userID = userID
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
        self.serverOffset = serverOffset
    }

    public var description: String { "StoredSession(\(userID), •••)" }
    public var customMirror: Mirror { Mirror(self, children: ["userID": userID]) }
}

/// Keeps the session as long as the process runs.
public actor MemoryTokenStore: TokenStore {
    private var session: StoredSession?

    public init(_ session: StoredSession? = nil) { self.session = session }

    public func load() -> StoredSession? { session }

    public func save(_ session: StoredSession?, replacing expected: StoredSession.ID?) -> Bool {
        guard expected == nil || expected == self.session?.id else { return false }
        self.session = session
        return true
    }
}
