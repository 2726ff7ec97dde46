public import Foundation
import HTTPTypes

/// Sign-in with an identity provider: surface 4, with JSON keys in snake_case.
public enum IdentityEndpoints {
    public static let apple = Endpoint<AppleInput, SignedIn>(
        .post, "/auth/apple", surface: .capsules, access: .anyone, body: .json(maxByteCount: 32_768), rate: .signIn)
    public static let oidc = Endpoint<OIDCInput, SignedIn>(
        .post, "/auth/oidc", surface: .capsules, access: .anyone, body: .json(maxByteCount: 32_768), rate: .signIn)
    public static let link = Endpoint<LinkInput, IdentityList>(
        .post, "/auth/link", surface: .capsules, body: .json(maxByteCount: 32_768))
    /// Removes the identity, so that it can no longer sign in. Requires a sign-in within the last ten minutes.
    public static let unlink = Endpoint<IdentityPath, IdentityList>(.delete, "/auth/identities/{id}", surface: .capsules)
    public static let identities = Endpoint<Empty, IdentityList>(.get, "/auth/identities", surface: .capsules)
}

/// The values that Sign in with Apple returned to the app.
public struct AppleInput: Codable, Sendable {
    public var identityToken: String
    /// The token's `sub`; the server rejects any other value.
    public var userIdentifier: String?
    /// The server ignores it, and uses only the address in the token.
    public var email: String?
    /// Apple sends it only at the first sign-in.
    public var fullName: FullName?
    /// The raw value. The request to Apple contained its SHA-256 in hexadecimal. It is valid for one sign-in.
    public var nonce: String?
    /// Valid for five minutes and one use. With it, the server can revoke Apple's tokens when the account is deleted.
    public var authorizationCode: String?
    /// The invitation's code. A person without an account needs it if the server requires one for registration.
    public var invite: String?

    public struct FullName: Codable, Sendable {
        public var givenName: String?
        public var familyName: String?

        public init(givenName: String? = nil, familyName: String? = nil) {
            self.givenName = givenName
            self.familyName = familyName
        }

        /// Also decodes `""`, which apps send if they have no name.
        public init(from decoder: any Decoder) throws {
            if let text = try? decoder.singleValueContainer().decode(String.self), text.isEmpty { return }
            let container = try decoder.container(keyedBy: CodingKeys.self)
            givenName = try container.decodeIfPresent(String.self, forKey: .givenName)
            familyName = try container.decodeIfPresent(String.self, forKey: .familyName)
        }

        enum CodingKeys: String, CodingKey {
            case givenName = "given_name"
            case familyName = "family_name"
        }
    }

    public init(
        identityToken: String, userIdentifier: String? = nil, email: String? = nil, fullName: FullName? = nil, nonce: String? = nil,
        authorizationCode: String? = nil, invite: String? = nil
    ) {
        self.identityToken = identityToken
        self.userIdentifier = userIdentifier
        self.email = email
        self.fullName = fullName
        self.nonce = nonce
        self.authorizationCode = authorizationCode
        self.invite = invite
    }

    enum CodingKeys: String, CodingKey {
        case email, nonce, invite
        case identityToken = "identity_token"
        case userIdentifier = "user_identifier"
        case fullName = "full_name"
        case authorizationCode = "authorization_code"
    }
}

public struct OIDCInput: Codable, Sendable {
    /// One of the issuers in the server's configuration, exactly as in `iss`.
    public var issuer: String
    public var idToken: String
    /// The token's `nonce` must be this value or its SHA-256. It is valid for one sign-in.
    public var nonce: String?
    /// The invitation's code, as in `AppleInput`.
    public var invite: String?

    public init(issuer: String, idToken: String, nonce: String? = nil, invite: String? = nil) {
        self.issuer = issuer
        self.idToken = idToken
        self.nonce = nonce
        self.invite = invite
    }

    enum CodingKeys: String, CodingKey {
        case issuer, nonce, invite
        case idToken = "id_token"
    }
}

/// The body of `/auth/apple` or of `/auth/oidc`. The keys show which one it is.
public struct LinkInput: Codable, Sendable {
    public var apple: AppleInput?
    public var oidc: OIDCInput?

    public init(apple: AppleInput) { self.apple = apple }
    public init(oidc: OIDCInput) { self.oidc = oidc }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if container.contains(.identityToken) { apple = try AppleInput(from: decoder) }
        if container.contains(.idToken) { oidc = try OIDCInput(from: decoder) }
    }

    public func encode(to encoder: any Encoder) throws {
        try apple?.encode(to: encoder)
        try oidc?.encode(to: encoder)
    }

    private enum CodingKeys: String, CodingKey {
        case identityToken = "identity_token"
        case idToken = "id_token"
    }
}

public struct IdentityList: Codable, Sendable, Equatable {
    /// Oldest first; at most 20.
    public var identities: [Identity]

    public init(identities: [Identity]) { self.identities = identities }
}

public struct IdentityPath: Codable, Sendable {
    public var id: String

    public init(id: String) { self.id = id }
}

/// An identity of the caller at an issuer.
public struct Identity: Codable, Sendable, Equatable {
    /// The id that `DELETE /auth/identities/{id}` takes.
    public var id: String
    public var issuer: String
    public var subject: String
    @OrNull public var email: String?
    public var createdAt: Date

    public init(id: String, issuer: String, subject: String, email: String?, createdAt: Date) {
        self.id = id
        self.issuer = issuer
        self.subject = subject
        self.email = email
        self.createdAt = createdAt
    }

    enum CodingKeys: String, CodingKey {
        case id, issuer, subject, email
        case createdAt = "created_at"
    }
}

extension AppleInput: Undisclosed {}
extension OIDCInput: Undisclosed {}
extension LinkInput: Undisclosed {}
