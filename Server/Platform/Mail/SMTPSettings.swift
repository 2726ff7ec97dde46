package import Core
internal import Foundation

/// The mail server: `smtp://HOST[:PORT]` (port 587, STARTTLS required), `smtps://HOST[:PORT]` (port 465, implicit TLS), or
/// `smtp://HOST[:PORT]?tls=off` (port 25) for a relay on the same machine.
package struct SMTPAddress: Sendable, Equatable {
    package enum Security: Sendable, Equatable {
        case startTLS
        case implicit
        case off
    }

    package let host: String
    package let port: Int
    package let security: Security

    /// - Returns: `nil` for any other form, and for a URL with a user or password, since the address is printed.
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

    /// The host and the port, for example `mail.example.org:587`.
    package var place: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// Whether the server is this machine.
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
    /// The path of a PEM file with certificates to trust instead of the system's.
    package var authorities: String?
    /// The name sent with EHLO; default the sender's domain.
    package var hello: String
    /// The timeout of the connection, the TLS handshake and each reply; default 30 s.
    package var timeout = Duration.seconds(30)
    /// How long a conversation may take until the mail server has the whole mail; default 30 s. A server that answers slowly at each step
    /// would otherwise keep the conversation open for minutes. The reply to the end of the mail may take `timeout` more. If the client gave
    /// up before that reply, the server might deliver the mail anyway, and deliver it again after the next attempt.
    package var conversation = Duration.seconds(30)

    package init(address: SMTPAddress, login: Login? = nil, from: MailSender, authorities: String? = nil) {
        self.address = address
        self.login = login
        self.from = from
        self.authorities = authorities
        hello = from.address.domain.utf8.allSatisfy { $0 < 0x80 } ? String(from.address.domain) : "localhost"
    }
}
