import Core
import Foundation
import Mail

extension Settings.Source {
    func smtp(_ options: Options, _ environment: Settings.Environment) throws -> SMTPSettings? {
        let (user, password) = (text(options.smtpUser, "smtp_user"), text(options.smtpPassword, "smtp_password"))
        let from = try text(options.mailFrom, "mail_from").map { text in
            guard let sender = MailSender(text) else {
                throw Settings.Wrong(description: "\(name("mail_from")) must look like Keepsake <no-reply@example.org>: \(text)")
            }
            return sender
        }
        guard let text = text(options.smtp, "smtp") else { return nil }
        guard let address = SMTPAddress(text) else {
            // The message does not quote the value, because an invalid one may contain a password.
            throw Settings.Wrong(
                description: "\(name("smtp")) must look like smtp://HOST[:PORT], smtps://HOST[:PORT] or smtp://HOST[:PORT]?tls=off")
        }
        guard let from else { throw Settings.Wrong(description: "\(name("smtp")) needs \(name("mail_from"))") }
        guard (user == nil) == (password == nil) else {
            throw Settings.Wrong(description: "set both \(name("smtp_user")) and \(name("smtp_password")), or neither")
        }
        if address.security == .off, !address.isLoopback {
            if environment == .production {
                throw Settings.Wrong(description: "\(name("smtp")) without TLS to another machine is refused in production")
            }
            if password != nil {
                throw Settings.Wrong(description: "\(name("smtp_password")) is not sent to another machine without TLS")
            }
        }
        var login: SMTPSettings.Login?
        if let user, let password { login = SMTPSettings.Login(user: user, password: Secret(password)) }
        let settings = SMTPSettings(address: address, login: login, from: from, authorities: self.text(options.smtpCA, "smtp_ca"))
        do { _ = try SMTPClient(settings) } catch { throw Settings.Wrong(description: "\(name("smtp_ca")): \(error)") }
        return settings
    }

    func confirmsEmail(_ flag: String?, _ settings: Settings) throws -> Bool {
        guard try choice(flag, "verify_email") == OnOff.on else { return false }
        guard settings.smtp != nil else {
            throw Settings.Wrong(description: "\(name("verify_email"))=on needs a mail server in \(name("smtp"))")
        }
        return true
    }

    func resetLink(_ flag: String?) throws -> String? {
        guard let text = text(flag, "reset_url") else { return nil }
        guard text.contains("{token}"), !text.contains(where: \.isWhitespace), text.wholeMatch(of: /[a-z][a-z0-9+.-]*:.+/) != nil else {
            throw Settings.Wrong(description: "\(name("reset_url")) must be a URL with {token} in it: \(text)")
        }
        return text
    }
}
