import Core
import HTTPTypes

/// The cookie that signs a browser, or an app that was written for cookies, in on every surface (RFC 6265).
package enum SessionCookie {
    /// From its making; it is not prolonged.
    package static let lifetime: Duration = .days(30)

    /// A browser takes a `__Host-` name only over https, for this host alone and all of its paths, so that no page of a neighbouring
    /// host can set one (RFC 6265bis §4.1.3.2).
    static func name(isSecure: Bool) -> String { isSecure ? "__Host-keepsake" : "keepsake" }

    /// As a client that keeps cookies by hand sends it back, in `Cookie`.
    package static func pair(_ value: String, isSecure: Bool) -> String { "\(name(isSecure: isSecure))=\(value)" }

    /// - Parameter value: of base64url; `nil` takes the cookie away.
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
    /// Has the browser keep the cookie, or, with `nil`, forget it.
    package func setSessionCookie(_ value: String?) {
        let field = HTTPField(name: .setCookie, value: SessionCookie.field(value, isSecure: isSecure))
        record.update { $0.fields.append(field) }
    }
}
