internal import Core

/// Lifetime and limits of the codes that confirm a new e-mail address, and the texts of the mails. Pure.
enum EmailRules {
    /// Longer than the usual delay of mail servers that use greylisting.
    static let lifetime = Duration.hours(1)
    /// The most valid codes that one account has at a time.
    static let liveLimit = 5
    /// The most valid codes for one address at a time, so that nobody uses this server to fill another person's mailbox. `liveLimit` is
    /// lower, so that one account cannot use up the codes of an address.
    static let addressLimit = 20

    static let refused = Problem(.invalid, "This code is unknown, was used already, or has expired. Request another one.", field: "code")
    static let taken = Problem(.conflict, "An account with this e-mail address exists already.", field: "email")
    static let tooMany = Problem(
        .tooManyRequests, "Too many codes were mailed within an hour. Try again in an hour.", retryAfter: lifetime)

    /// The mail to the new address. If that address already has an account, the mail says so, because the response to the request must not.
    static func mail(_ mail: CodeMail) -> MailText {
        if mail.isTaken { return takenMail(mail.place) }
        let text = """
            Somebody, probably you, wants to use this e-mail address for an account at
            \(mail.place).

            Enter this code in the app:

                \(mail.code.text)

            It works once, within the next \(mail.minutes) minutes.

            If it was not you, you need not do anything: nothing changes without the code.
            """
        return MailText(subject: "Confirm your e-mail address", text: text)
    }

    private static func takenMail(_ place: String) -> MailText {
        let text = """
            Somebody, probably you, wants to use this e-mail address for an account at
            \(place).

            Another account there has this address, so nothing changes. If it is yours,
            sign in to it, or use another address.

            If it was not you, you need not do anything.
            """
        return MailText(subject: "This address has an account", text: text)
    }

    /// The mail to the old address. It does not contain the new one, because the old mailbox may belong to somebody else by now.
    static func notice(_ place: String) -> MailText {
        let text = """
            This is about your account at
            \(place).

            Your account has another e-mail address from now on. Sign in with the new one.
            From now on, only the new address gets mails about the account.

            If it was not you, somebody knows your password: ask the operator of the server
            to restore your access to the account.
            """
        return MailText(subject: "Your e-mail address was changed", text: text)
    }
}
