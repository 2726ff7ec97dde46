package import Mail

/// The operator's settings for accounts.
package struct AccountsSettings: Sendable {
    /// Who may register.
    package enum Registration: String, Sendable, CaseIterable {
        case open, invite, closed
    }

    /// The `iss` of every access token; tokens with another `iss` are refused. It is a closure, because the public URL may be unknown until
    /// a port is bound. All processes on one database must return the same text.
    package var issuer: @Sendable () -> String
    package var registration: Registration
    package var passwordCost: PasswordCost
    /// Sends all mails about accounts; `nil` when no mail server is configured.
    package var mailer: SMTPClient?
    /// Whether a registration needs a code that was mailed to its address. Requires `mailer`.
    package var confirmsEmail = false
    /// URL of an app's page where the user sets a new password; `{token}` stands for the reset code. If it is `nil`, mails contain only the
    /// code.
    package var resetLink: String?
    package var identities = IdentitySettings()
    /// Who counts as a verified user unless the operator sets `KEEPSAKE_VERIFY`.
    package var verifiedByDefault = VerifiedUsers.everybody

    package init(issuer: @escaping @Sendable () -> String, registration: Registration, passwordCost: PasswordCost = .recommended) {
        self.issuer = issuer
        self.registration = registration
        self.passwordCost = passwordCost
    }
}
