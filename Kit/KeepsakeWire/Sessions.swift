public import Foundation
import HTTPTypes

/// Endpoints for the sessions of an account: surface 4, with JSON keys in snake_case.
extension AccountEndpoints {
    public static let sessions = Endpoint<Empty, SessionList>(.get, "/auth/sessions", surface: .capsules)
    public static let endSession = Endpoint<SessionInput, Empty>(.delete, "/auth/sessions/{id}", surface: .capsules)
    /// Ends the account's sessions, which signs out on all devices.
    public static let endSessions = Endpoint<EndSessionsInput, SessionsEnded>(.delete, "/auth/sessions", surface: .capsules)
}

public struct SessionInput: Codable, Sendable {
    public var id: String

    public init(id: String) { self.id = id }
}

public struct EndSessionsInput: Codable, Sendable {
    /// Whether to keep the session of this request. Default: `false`.
    public var keepCurrent: Bool?

    public init(keepCurrent: Bool? = nil) { self.keepCurrent = keepCurrent }

    enum CodingKeys: String, CodingKey { case keepCurrent = "keep_current" }
}

public struct SessionsEnded: Codable, Sendable, Equatable {
    /// Number of sessions that this request ended.
    public var ended: Int

    public init(ended: Int) { self.ended = ended }
}

public struct SessionList: Codable, Sendable, Equatable {
    /// The sessions, newest first; at most 500.
    public var sessions: [Session]

    public init(sessions: [Session]) { self.sessions = sessions }

    public struct Session: Codable, Sendable, Equatable {
        public var id: String
        /// `password`, `apple`, `oidc`, `firebase`, or `tool` if the command `keepsake token` created the session.
        public var method: String
        /// The `User-Agent` of the sign-in; at most 256 characters.
        @OrNull public var userAgent: String?
        public var createdAt: Date
        /// When the session's tokens were last refreshed or its cookie was last used, to the hour.
        public var lastUsedAt: Date
        /// When the session expires if it is not used again.
        public var expiresAt: Date
        /// Whether this is the session of the request.
        public var isCurrent: Bool
        /// Cookies that were created from the session's tokens, newest first; at most 20. They end when the session ends.
        public var cookies: [Cookie]

        public init(
            id: String, method: String, userAgent: String?, createdAt: Date, lastUsedAt: Date, expiresAt: Date, isCurrent: Bool,
            cookies: [Cookie] = []
        ) {
            self.id = id
            self.method = method
            self.userAgent = userAgent
            self.createdAt = createdAt
            self.lastUsedAt = lastUsedAt
            self.expiresAt = expiresAt
            self.isCurrent = isCurrent
            self.cookies = cookies
        }

        enum CodingKeys: String, CodingKey {
            case id, method, cookies
            case userAgent = "user_agent"
            case createdAt = "created_at"
            case lastUsedAt = "last_used_at"
            case expiresAt = "expires_at"
            case isCurrent = "is_current"
        }
    }

    public struct Cookie: Codable, Sendable, Equatable {
        /// The `User-Agent` of the request that created the cookie; at most 256 characters.
        @OrNull public var userAgent: String?
        public var createdAt: Date
        public var expiresAt: Date

        public init(userAgent: String?, createdAt: Date, expiresAt: Date) {
            self.userAgent = userAgent
            self.createdAt = createdAt
            self.expiresAt = expiresAt
        }

        enum CodingKeys: String, CodingKey {
            case userAgent = "user_agent"
            case createdAt = "created_at"
            case expiresAt = "expires_at"
        }
    }
}
