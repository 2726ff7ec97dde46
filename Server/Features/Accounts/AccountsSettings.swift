package import Mail
package import Outbound

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
    /// Where an account is, for a person who has several: named in mails.
    package var place: @Sendable () -> String = { "Keepsake" }
    package var identities = IdentitySettings()
    /// Sends requests to issuers.
    package var outbound = OutboundHTTP(.production)

    package init(issuer: @escaping @Sendable () -> String, registration: Registration, passwordCost: PasswordCost = .recommended) {
        self.issuer = issuer
        self.registration = registration
        self.passwordCost = passwordCost
    }
}
