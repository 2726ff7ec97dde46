import HTTPTypes

/// Endpoints that reset a forgotten password: surface 4, with JSON keys in snake_case.
extension AccountEndpoints {
    public static let forgotPassword = Endpoint<ForgotPasswordInput, Empty>(
        .post, "/auth/password/forgot", surface: .capsules, access: .anyone, body: .json(maxByteCount: 16_384), rate: .signIn)
    public static let resetPassword = Endpoint<ResetPasswordInput, PasswordResetResult>(
        .post, "/auth/password/reset", surface: .capsules, access: .anyone, body: .json(maxByteCount: 16_384), rate: .signIn)
}

public struct ForgotPasswordInput: Codable, Sendable {
    public var email: String

    public init(email: String) { self.email = email }
}

public struct ResetPasswordInput: Codable, Sendable {
    /// The code from the mail, as the person typed it.
    public var token: String
    /// 8…1,024 bytes of UTF-8, but not one of the 10,000 most common passwords.
    public var password: String
    /// Whether identities that were linked since the account was created or last reset with a code may still sign in. Default: `false`.
    public var keepIdentities: Bool?

    public init(token: String, password: String, keepIdentities: Bool? = nil) {
        self.token = token
        self.password = password
        self.keepIdentities = keepIdentities
    }

    enum CodingKeys: String, CodingKey {
        case token, password
        case keepIdentities = "keep_identities"
    }
}

public struct PasswordResetResult: Codable, Sendable, Equatable {
    /// Identities that were linked since the account was created or last reset with a code, oldest first.
    public var recentIdentities: [Identity]
    /// Whether the server removed `recentIdentities`.
    public var removed: Bool

    public init(recentIdentities: [Identity], removed: Bool) {
        self.recentIdentities = recentIdentities
        self.removed = removed
    }

    enum CodingKeys: String, CodingKey {
        case removed
        case recentIdentities = "recent_identities"
    }
}

extension ResetPasswordInput: Undisclosed {}
