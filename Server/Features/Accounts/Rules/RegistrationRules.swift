internal import Core

/// Lifetime and limits of the codes that confirm the address of a registration, and the texts of the mails. Pure.
enum RegistrationRules {
    static let lifetime = EmailRules.lifetime
    /// The most valid codes at a time that one network has requested for one address. It is below `addressLimit`, so that a stranger's
    /// registrations do not prevent the owner of the address from registering.
    static let liveLimit = EmailRules.liveLimit
    /// The most valid codes for one address at a time, from all networks in total.
    static let addressLimit = EmailRules.addressLimit

    static let off = Problem(.forbidden, "Registrations need no confirmation here.")

    /// If the address already has an account, the mail says so, because the response to the request must not.
    static func mail(_ mail: CodeMail) -> MailText {
        if mail.isTaken { return takenMail(mail.place) }
        let text = """
            Somebody, probably you, wants an account for this e-mail address at
            \(mail.place).

            Enter this code in the app:

                \(mail.code.text)

            It works once, within the next \(mail.minutes) minutes.

            If it was not you, you need not do anything: without the code there is no account.
            """
        return MailText(subject: "Confirm your e-mail address", text: text)
    }

    private static func takenMail(_ place: String) -> MailText {
        let text = """
            Somebody, probably you, wants an account for this e-mail address at
            \(place).

            This address has an account there already. If it is yours, sign in to it.
            If you have forgotten its password, set a new one there.

            If it was not you, you need not do anything.
            """
        return MailText(subject: "This address has an account", text: text)
    }
}
