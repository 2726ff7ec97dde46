import Core
import HTTPTypes

/// What a device keeps of its last sign-in, so that it is recognised at the next one. It signs nobody in: all it does is to be counted
/// apart from strangers who try the same name. Browsers keep it, and so does URLSession in an app.
enum DeviceCookie {
    /// Browsers keep no cookie for longer than 400 days (RFC 6265bis §5.5).
    static let lifetime: Duration = .days(365)
    /// Ours have 45.
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
    /// Has the device keep what it is recognised by at its next sign-in.
    /// - Parameter value: of base64url and dots, at most 128 bytes.
    package func setDevice(_ value: String) {
        let field = HTTPField(name: .setCookie, value: DeviceCookie.field(value, isSecure: isSecure))
        record.update { $0.fields.append(field) }
    }
}
