import HTTPTypes

/// Endpoints that change the password or the e-mail address of the caller's own account: surface 4, with JSON keys in snake_case.
extension AccountEndpoints {
    public static let changePassword = Endpoint<ChangePasswordInput, PasswordChanged>(
        .post, "/auth/password/change", surface: .capsules, body: .json(maxByteCount: 16_384), rate: .signIn)
    /// Mails a code to the new address.
    public static let changeEmail = Endpoint<ChangeEmailInput, Empty>(
        .post, "/auth/email/change", surface: .capsules, body: .json(maxByteCount: 16_384), rate: .signIn)
    public static let confirmEmail = Endpoint<ConfirmEmailInput, User>(
        .post, "/auth/email/confirm", surface: .capsules, body: .json(maxByteCount: 16_384), rate: .signIn)
}

public struct ChangePasswordInput: Codable, Sendable {
    public var oldPassword: String
    /// 8…1,024 bytes of UTF-8, but not one of the 10,000 most common passwords.
    public var newPassword: String

    public init(oldPassword: String, newPassword: String) {
        self.oldPassword = oldPassword
        self.newPassword = newPassword
    }

    enum CodingKeys: String, CodingKey {
        case oldPassword = "old_password"
        case newPassword = "new_password"
    }
}

public struct PasswordChanged: Codable, Sendable, Equatable {
    /// Number of other sessions that this request ended.
    public var ended: Int
    /// Identities that were linked since the account was created or last reset with a code, oldest first. They can still sign in.
    public var recentIdentities: [Identity]

    public init(ended: Int, recentIdentities: [Identity]) {
        self.ended = ended
        self.recentIdentities = recentIdentities
    }

    enum CodingKeys: String, CodingKey {
        case ended
        case recentIdentities = "recent_identities"
    }
}

public struct ChangeEmailInput: Codable, Sendable {
    /// The new address, to which the server mails the code.
    public var email: String
    public var password: String

    public init(email: String, password: String) {
        self.email = email
        self.password = password
    }
}

public struct ConfirmEmailInput: Codable, Sendable {
    /// The code from the mail, as the person typed it.
    public var code: String

    public init(code: String) { self.code = code }
}

extension ChangePasswordInput: Undisclosed {}
extension ChangeEmailInput: Undisclosed {}
extension ConfirmEmailInput: Undisclosed {}
