internal import Core
internal import Foundation
internal import Mail

/// How long codes live, how many there may be, and what the mail says. Pure.
enum ResetRules {
    /// Of a code that was mailed: longer than a server that makes strangers wait usually does.
    static let mailedLifetime = Duration.hours(1)
    /// Of one that whoever runs the server hands on.
    static let issuedLifetimes = Duration.minutes(1)...Duration.days(7)
    /// Codes of one account at a time, and so mails an hour: beyond that nobody is written to.
    static let liveLimit = 5

    static let refused = Problem(.invalid, "This code is not known, was used, or is too old. Ask for another.", field: "token")

    static func link(_ template: String?, code: OneTimeCode) -> String? { template?.replacing("{token}", with: code.text) }

    /// - Parameter place: where the account is, for a person who has several.
    static func mail(
        from: MailSender, to: MailAddress, code: OneTimeCode, link: String?, place: String, id: String, at now: Timestamp,
        expiresAt: Timestamp
    ) throws -> MailMessage {
        let minutes = max(1, (expiresAt - now).components.seconds / 60)
        let how = link.map { "Open\n\n    \($0)\n\nor enter this code in the app:" } ?? "Enter this code in the app:"
        let text = """
            Somebody, probably you, wants a new password for your account at
            \(place).

            \(how)

                \(code.text)

            It is good once, and for \(minutes) minutes from now.

            If it was not you, there is nothing to do: your password stays as it is.
            """
        return try MailMessage(from: from, to: to, subject: "A new password", text: text + "\n", date: now, id: id)
    }
}
