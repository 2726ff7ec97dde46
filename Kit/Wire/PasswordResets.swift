import HTTPTypes

/// A forgotten password: surface 4, snake_case.
extension AccountEndpoints {
    public static let forgotPassword = Endpoint<ForgotPasswordInput, Empty>(
        .post, "/auth/password/forgot", surface: .capsules, access: .anyone, body: .json(maxByteCount: 16_384), rate: .signIn)
    public static let resetPassword = Endpoint<ResetPasswordInput, Empty>(
        .post, "/auth/password/reset", surface: .capsules, access: .anyone, body: .json(maxByteCount: 16_384), rate: .signIn)
}

public struct ForgotPasswordInput: Codable, Sendable {
    public var email: String

    public init(email: String) { self.email = email }
}

public struct ResetPasswordInput: Codable, Sendable {
    /// The code of the mail, as it was typed.
    public var token: String
    /// 8…1,024 bytes of UTF-8.
    public var password: String

    public init(token: String, password: String) {
        self.token = token
        self.password = password
    }
}

extension ResetPasswordInput: Undisclosed {}
