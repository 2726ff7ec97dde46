public import Foundation
import HTTPTypes

/// `/auth/*` and `/user/*`: surface 4, with JSON keys in snake_case.
public enum AccountEndpoints {
    public static let register = Endpoint<RegisterInput, SignedIn>(
        .post, "/auth/password/register", surface: .capsules, access: .anyone, body: .json(maxByteCount: 16_384), rate: .signIn)
    public static let login = Endpoint<LoginInput, SignedIn>(
        .post, "/auth/password/login", surface: .capsules, access: .anyone, body: .json(maxByteCount: 16_384), rate: .signIn)
    public static let refresh = Endpoint<RefreshInput, AuthToken>(
        .post, "/auth/refresh", surface: .capsules, access: .anyone, body: .json(maxByteCount: 16_384))
    public static let signOut = Endpoint<Empty, Empty>(.post, "/auth/signout", surface: .capsules)
    /// Creates a session cookie for the bearer token's session.
    public static let openCookie = Endpoint<Empty, CookieSession>(.post, "/auth/session", surface: .capsules)
    /// Ends the session's cookies; its tokens stay valid.
    public static let endCookie = Endpoint<Empty, Empty>(.delete, "/auth/session", surface: .capsules)
    public static let me = Endpoint<Empty, User>(.get, "/user/me", surface: .capsules)
    public static let updateMe = Endpoint<UpdateMeInput, User>(
        .patch, "/user/me", surface: .capsules, body: .json(maxByteCount: 16_384))
    public static let keys = Endpoint<Empty, KeySet>(.get, "/.well-known/jwks.json", surface: .capsules, access: .anyone)
}

public struct RegisterInput: Codable, Sendable {
    public var email: String
    /// 8…1,024 bytes of UTF-8, but not one of the 10,000 most common passwords.
    public var password: String
    public var name: String?
    /// The invitation's code, if the server requires one for registration.
    public var invite: String?
    /// An IANA name, for example `Europe/Berlin`, or `UTC`. `nil` means the server's time zone.
    public var timeZone: String?

    public init(email: String, password: String, name: String? = nil, invite: String? = nil, timeZone: String? = nil) {
        self.email = email
        self.password = password
        self.name = name
        self.invite = invite
        self.timeZone = timeZone
    }

    enum CodingKeys: String, CodingKey {
        case email, password, name, invite
        case timeZone = "time_zone"
    }
}

public struct LoginInput: Codable, Sendable {
    public var email: String
    public var password: String

    public init(email: String, password: String) {
        self.email = email
        self.password = password
    }
}

public struct RefreshInput: Codable, Sendable {
    public var refreshToken: String

    public init(refreshToken: String) { self.refreshToken = refreshToken }

    enum CodingKeys: String, CodingKey { case refreshToken = "refresh_token" }
}

public struct UpdateMeInput: Codable, Sendable {
    public var name: Change<String>
    /// Whether engines outside the installation may get the account's data, for example to analyse captures. Clearing the value sets
    /// `true`.
    public var outsideEngines: Change<Bool>
    /// An IANA name, for example `Europe/Berlin`, or `UTC`. Clearing the value sets the server's time zone.
    public var timeZone: Change<String>

    public init(name: Change<String> = .unchanged, outsideEngines: Change<Bool> = .unchanged, timeZone: Change<String> = .unchanged) {
        self.name = name
        self.outsideEngines = outsideEngines
        self.timeZone = timeZone
    }

    enum CodingKeys: String, CodingKey {
        case name
        case outsideEngines = "outside_engines"
        case timeZone = "time_zone"
    }
}

public struct SignedIn: Codable, Sendable, Equatable {
    public var user: User
    public var token: AuthToken

    public init(user: User, token: AuthToken) {
        self.user = user
        self.token = token
    }
}

public struct User: Codable, Sendable, Equatable {
    public var id: String
    @OrNull public var email: String?
    @OrNull public var name: String?
    public var createdAt: Date
    public var isProUser: Bool
    /// Whether engines outside the installation may get the account's data.
    public var outsideEngines: Bool
    /// The time zone that the user chose, as an IANA name; `nil` means the server's time zone.
    @OrNull public var timeZone: String?
    /// An absolute, signed URL of the profile picture as others see it. `nil` without a profile picture, and in the response to a sign-in.
    public var profilePictureURL: String?
    /// `nil` in the response to a sign-in.
    public var usage: AccountUsage?

    public init(
        id: String, email: String?, name: String?, createdAt: Date, isProUser: Bool, outsideEngines: Bool = true, timeZone: String? = nil,
        profilePictureURL: String? = nil, usage: AccountUsage? = nil
    ) {
        self.id = id
        self.email = email
        self.name = name
        self.createdAt = createdAt
        self.isProUser = isProUser
        self.outsideEngines = outsideEngines
        self.timeZone = timeZone
        self.profilePictureURL = profilePictureURL
        self.usage = usage
    }

    enum CodingKeys: String, CodingKey {
        case id, email, name, usage
        case createdAt = "created_at"
        case isProUser = "is_pro_user"
        case outsideEngines = "outside_engines"
        case timeZone = "time_zone"
        case profilePictureURL = "profile_picture_url"
    }
}

/// How much an account has stored.
public struct AccountUsage: Codable, Sendable, Equatable {
    public var files: Int
    /// Bytes of files and entries that count toward the quota.
    public var bytes: Int
    /// Bytes that the account may store.
    public var quota: Int

    public init(files: Int, bytes: Int, quota: Int) {
        self.files = files
        self.bytes = bytes
        self.quota = quota
    }
}

public struct CookieSession: Codable, Sendable, Equatable {
    /// The cookie as `name=value`, for the `Cookie` header. Browsers get it from `Set-Cookie`.
    public var cookie: String
    public var expiresAt: Date

    public init(cookie: String, expiresAt: Date) {
        self.cookie = cookie
        self.expiresAt = expiresAt
    }

    enum CodingKeys: String, CodingKey {
        case cookie
        case expiresAt = "expires_at"
    }
}

public struct AuthToken: Codable, Sendable, Equatable {
    /// A signed JWT, valid for one hour.
    public var accessToken: String
    /// An opaque token, valid for 30 days and for one use.
    public var refreshToken: String
    /// When the access token expires.
    public var expiresAt: Date

    public init(accessToken: String, refreshToken: String, expiresAt: Date) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.expiresAt = expiresAt
    }

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
        case expiresAt = "expires_at"
    }
}

/// A JSON Web Key Set (RFC 7517) with the keys that sign the server's access tokens.
public struct KeySet: Codable, Sendable, Equatable {
    public var keys: [Key]

    public init(keys: [Key]) { self.keys = keys }

    public struct Key: Codable, Sendable, Equatable {
        public var kty = "EC"
        public var crv = "P-256"
        public var use = "sig"
        public var alg = "ES256"
        public var kid: String
        public var x: String
        public var y: String

        public init(kid: String, x: String, y: String) {
            self.kid = kid
            self.x = x
            self.y = y
        }
    }
}

// MARK: Values that must not reach a log

/// A type that contains a password or a token. When it is printed, it shows only dots.
protocol Undisclosed: CustomStringConvertible, CustomReflectable {}

extension Undisclosed {
    public var description: String { "\(Self.self)(•••)" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension RegisterInput: Undisclosed {}
extension LoginInput: Undisclosed {}
extension RefreshInput: Undisclosed {}
extension AuthToken: Undisclosed {}
