import HTTPTypes

/// Endpoints that confirm the e-mail address of a registration, on servers that require it: surface 4, with JSON keys in snake_case.
extension AccountEndpoints {
    /// Creates the account, and signs in.
    public static let confirmRegistration = Endpoint<ConfirmRegistrationInput, SignedIn>(
        .post, "/auth/password/register/confirm", surface: .capsules, access: .anyone, body: .json(maxByteCount: 16_384), rate: .signIn)
    /// Mails a new code, if a registration with this address still waits for its code.
    public static let resendConfirmation = Endpoint<ResendConfirmationInput, Empty>(
        .post, "/auth/password/register/resend", surface: .capsules, access: .anyone, body: .json(maxByteCount: 16_384), rate: .signIn)
}

public struct ConfirmRegistrationInput: Codable, Sendable {
    /// The code from the mail, as the person typed it.
    public var code: String
    /// The password of the registration.
    public var password: String

    public init(code: String, password: String) {
        self.code = code
        self.password = password
    }
}

public struct ResendConfirmationInput: Codable, Sendable {
    public var email: String

    public init(email: String) { self.email = email }
}

extension ConfirmRegistrationInput: Undisclosed {}
