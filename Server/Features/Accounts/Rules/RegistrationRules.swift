internal import Core
internal import Foundation
internal import Mail

/// Lifetime and limits of the codes that confirm the address of a registration, and the texts of the mails. Pure.
enum RegistrationRules {
    static let lifetime = EmailRules.lifetime
    /// Codes for one address at a time, so that nobody uses this server to fill another person's mailbox.
    static let liveLimit = EmailRules.liveLimit

    static let off = Problem(.forbidden, "Registrations need no confirmation here.")

    /// - Parameter place: the server's public URL, for users with accounts on several servers.
    static func mail(
        from: MailSender, to: MailAddress, code: OneTimeCode, place: String, id: String, at now: Timestamp, expiresAt: Timestamp
    ) throws -> MailMessage {
        let minutes = max(1, (expiresAt - now).components.seconds / 60)
        let text = """
            Somebody, probably you, wants an account for this e-mail address at
            \(place).

            Enter this code in the app:

                \(code.text)

            It is good once, and for \(minutes) minutes from now.

            If it was not you, there is nothing to do: without the code there is no account.
            """
        return try MailMessage(from: from, to: to, subject: "Confirm your e-mail address", text: text + "\n", date: now, id: id)
    }

    /// For an address that has an account. The response to the request must not tell that.
    static func takenMail(from: MailSender, to: MailAddress, place: String, id: String, at now: Timestamp) throws -> MailMessage {
        let text = """
            Somebody, probably you, wants an account for this e-mail address at
            \(place).

            This address has an account there already. If it is yours, sign in to it.
            If you do not know its password, ask for another one there.

            If it was not you, there is nothing to do.
            """
        return try MailMessage(from: from, to: to, subject: "This address has an account", text: text + "\n", date: now, id: id)
    }
}
