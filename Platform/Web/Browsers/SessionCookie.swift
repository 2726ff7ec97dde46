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

    /// - Returns: `nil` when the request carries none. Of several the first: browsers send the most specific one first.
    static func value(in fields: HTTPFields, isSecure: Bool) -> String? {
        let name = name(isSecure: isSecure)
        // Over HTTP/2 each cookie may come in a field of its own (RFC 9113 §8.2.3).
        for field in fields[values: .cookie] {
            for pair in field.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2, parts[0].filter({ $0 != " " }) == name { return String(parts[1]) }
            }
        }
        return nil
    }
}

extension WebContext {
    /// Has the browser keep the cookie, or, with `nil`, forget it.
    package func setSessionCookie(_ value: String?) {
        let field = HTTPField(name: .setCookie, value: SessionCookie.field(value, isSecure: isSecure))
        record.update { $0.fields.append(field) }
    }
}
