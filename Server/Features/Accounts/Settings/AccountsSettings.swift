package import Mail

/// What the person who runs the server decides about accounts.
package struct AccountsSettings: Sendable {
    /// Who may make an account for themselves.
    package enum Registration: String, Sendable, CaseIterable {
        case open, invite, closed
    }

    /// Goes into every access token as `iss`, and every token that says otherwise is refused. A closure, because the public URL may be
    /// known only once a port is bound. All processes on one database must give the same text.
    package var issuer: @Sendable () -> String
    package var registration: Registration
    package var passwordCost: PasswordCost
    /// Writes to people who have forgotten their password; `nil`: nobody is written to.
    package var mailer: SMTPClient?
    /// A page of the app that takes the code of a reset, with `{token}` where it goes; `nil`: people are given the code alone.
    package var resetLink: String?
    package var identities = IdentitySettings()

    package init(issuer: @escaping @Sendable () -> String, registration: Registration, passwordCost: PasswordCost = .recommended) {
        self.issuer = issuer
        self.registration = registration
        self.passwordCost = passwordCost
    }
}
