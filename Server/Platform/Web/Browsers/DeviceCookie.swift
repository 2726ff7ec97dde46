import Core
import HTTPTypes

/// The cookie by which the server recognises a device that has signed in before. It is not a credential. Its only effect is that the device
/// has a rate limit of its own, separate from that of strangers who try the same name. Browsers store it, and so does URLSession in an app.
enum DeviceCookie {
    /// The lifetime of the cookie. Browsers keep no cookie for longer than 400 days (RFC 6265bis §5.5).
    static let lifetime: Duration = .days(365)
    /// The most bytes of a value. The server's own values have 45 bytes.
    static let maxByteCount = 128

    static func name(isSecure: Bool) -> String { isSecure ? "__Host-keepsake-device" : "keepsake-device" }

    static func field(_ value: String, isSecure: Bool) -> String {
        "\(name(isSecure: isSecure))=\(value); Path=/; Max-Age=\(lifetime.components.seconds); HttpOnly; SameSite=Strict"
            + (isSecure ? "; Secure" : "")
    }

    static func value(in fields: HTTPFields, isSecure: Bool) -> String? {
        CookieField.value(of: name(isSecure: isSecure), in: fields).flatMap { $0.utf8.count <= maxByteCount ? $0 : nil }
    }
}

extension WebContext {
    /// Sets the cookie that identifies the device at its next sign-in.
    /// - Parameter value: base64url and dots, at most 128 bytes.
    package func setDevice(_ value: String) {
        let field = HTTPField(name: .setCookie, value: DeviceCookie.field(value, isSecure: isSecure))
        record.update { $0.fields.append(field) }
    }
}
