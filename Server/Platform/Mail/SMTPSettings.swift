package import Core
internal import Foundation

/// The mail server that takes our mail: `smtp://HOST[:PORT]` (587, STARTTLS is insisted on), `smtps://HOST[:PORT]` (465, TLS from the first
/// byte), or `smtp://HOST[:PORT]?tls=off`, for a relay on the same machine.
package struct SMTPAddress: Sendable, Equatable {
    package enum Security: Sendable, Equatable {
        case startTLS
        case implicit
        case off
    }

    package let host: String
    package let port: Int
    package let security: Security

    /// - Returns: `nil` for what looks otherwise, and for a user or a password in it: they would be printed with it.
    package init?(_ text: String) {
        guard let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.user == nil, parts.password == nil,
            parts.path.isEmpty || parts.path == "/", parts.fragment == nil
        else { return nil }
        let isOff = parts.queryItems == [URLQueryItem(name: "tls", value: "off")]
        guard isOff || parts.queryItems == nil else { return nil }
        switch (parts.scheme, isOff) {
        case ("smtp", false): (security, port) = (.startTLS, parts.port ?? 587)
        case ("smtp", true): (security, port) = (.off, parts.port ?? 25)
        case ("smtps", false): (security, port) = (.implicit, parts.port ?? 465)
        default: return nil
        }
        guard 1...65_535 ~= port else { return nil }
        self.host = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }

    /// Whether what is sent stays on this machine.
    package var isLoopback: Bool { host == "localhost" || host == "::1" || host.wholeMatch(of: /127\.\d+\.\d+\.\d+/) != nil }
}

package struct SMTPSettings: Sendable {
    package struct Login: Sendable {
        package let user: String
        package let password: Secret<String>

        package init(user: String, password: Secret<String>) {
            self.user = user
            self.password = password
        }
    }

    package var address: SMTPAddress
    package var login: Login?
    package var from: MailSender
    /// Certificates in PEM to trust instead of the system's.
    package var authorities: String?
    /// What we call ourselves; default the sender's domain.
    package var hello: String
    /// To connect, to shake hands, and for each answer; default 30 s. The end of a mail may take twice that.
    package var timeout = Duration.seconds(30)

    package init(address: SMTPAddress, login: Login? = nil, from: MailSender, authorities: String? = nil) {
        self.address = address
        self.login = login
        self.from = from
        self.authorities = authorities
        hello = from.address.domain.utf8.allSatisfy { $0 < 0x80 } ? String(from.address.domain) : "localhost"
    }
}
