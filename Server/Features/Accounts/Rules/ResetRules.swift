internal import Core
internal import Foundation

/// Lifetimes and limits of reset codes, and the text of the mail. Pure.
enum ResetRules {
    /// Lifetime of a mailed code. It is longer than the usual delay of mail servers that use greylisting.
    static let mailedLifetime = Duration.hours(1)
    /// Possible lifetimes of a code that the operator passes on.
    static let issuedLifetimes = Duration.minutes(1)...Duration.days(7)
    /// The most valid codes of one account at a time, and so the most mails per hour. Above this limit, the server sends no further mail.
    static let liveLimit = 5

    static let refused = Problem(.invalid, "This code is unknown, was used already, or has expired. Request another one.", field: "token")

    static func link(_ template: String?, code: OneTimeCode) -> String? { template?.replacing("{token}", with: code.text) }

    /// - Parameter link: a page where the user sets the new password; `nil` when none is configured.
    static func mail(_ mail: CodeMail, link: String?) -> MailText {
        let how = link.map { "Open\n\n    \($0)\n\nor enter this code in the app:" } ?? "Enter this code in the app:"
        let text = """
            Somebody, probably you, wants a new password for your account at
            \(mail.place).

            \(how)

                \(mail.code.text)

            It works once, within the next \(mail.minutes) minutes.

            If it was not you, you need not do anything: your password stays as it is.
            """
        return MailText(subject: "A new password", text: text)
    }
}
