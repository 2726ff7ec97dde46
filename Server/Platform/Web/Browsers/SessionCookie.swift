import Core
import HTTPTypes

/// The cookie (RFC 6265) that authenticates a browser, or an app that uses cookies, on every surface.
package enum SessionCookie {
    /// How long the cookie lives after it was set. Requests do not extend this time.
    package static let lifetime: Duration = .days(30)

    /// A browser accepts a `__Host-` name only over https, and only for this host and all of its paths. So no page of a sibling subdomain
    /// can set one (RFC 6265bis §4.1.3.2).
    static func name(isSecure: Bool) -> String { isSecure ? "__Host-keepsake" : "keepsake" }

    /// The cookie's name and value, as a client that handles cookies itself sends them back in `Cookie`.
    package static func pair(_ value: String, isSecure: Bool) -> String { "\(name(isSecure: isSecure))=\(value)" }

    /// - Parameter value: base64url; `nil` removes the cookie.
    static func field(_ value: String?, isSecure: Bool) -> String {
        let age = value == nil ? 0 : lifetime.components.seconds
        return "\(pair(value ?? "", isSecure: isSecure)); Path=/; Max-Age=\(age); HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")"
    }

    /// - Returns: `nil` when the request carries none, or more than one.
    static func value(in fields: HTTPFields, isSecure: Bool) -> String? {
        CookieField.value(of: name(isSecure: isSecure), in: fields)
    }
}

extension WebContext {
    /// Sets the session cookie, or removes it with `nil`.
    package func setSessionCookie(_ value: String?) {
        let field = HTTPField(name: .setCookie, value: SessionCookie.field(value, isSecure: isSecure))
        record.update { $0.fields.append(field) }
    }
}
