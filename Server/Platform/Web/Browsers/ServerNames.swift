import Core
import HTTPServer
import Hummingbird

extension AllowedOrigins {
    /// Whether `authority` is a name of this server: the host of the public URL or of a configured origin, with any port; `localhost` or a
    /// loopback address; or the address at which the connection arrived.
    ///
    /// This stops DNS rebinding: after the browser has loaded an attacker's page, the attacker lets the page's host name resolve to this
    /// server. For the browser, the page and our responses then have the same origin. Only the name in `Host` shows the attack.
    /// - Parameters:
    ///   - authority: the request's `Host`. `nil` counts as ours: only HTTP/1.0 allows it, and no browser sends it.
    ///   - localAddress: the server's address of the connection.
    func isOurs(_ authority: String?, localAddress: @autoclosure () -> String?) -> Bool {
        guard let authority else { return true }
        // Refuse a long name, because the event loop reads it character by character.
        guard authority.utf8.count <= Self.maxByteCount else { return false }
        let host = Self.host(of: authority)
        if host == "localhost" { return true }
        if let address = IPAddress(host) {
            if address.isLoopback { return true }
            if let localAddress = localAddress(), IPAddress(localAddress) == address { return true }
        }
        return hosts.contains(host)
    }

    /// The host of `authority` without port and brackets, in lower case.
    static func host(of authority: String) -> String {
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }).lowercased() }
        return String(authority.prefix { $0 != ":" }).lowercased()
    }
}

extension WebContext {
    /// - Throws: `.forbidden` for a GET or HEAD request that was sent to a name which is not this server's.
    func requireOurName(_ request: Request, _ origins: AllowedOrigins) throws {
        guard [.get, .head].contains(request.method), !origins.isOurs(request.head.authority, localAddress: localAddress) else { return }
        throw Problem(
            .forbidden,
            "The name in Host is not a name of this server. Use its public URL, or add the name to KEEPSAKE_ORIGINS.", field: "Host")
    }

    /// The server's address of the connection.
    var localAddress: String? { channel.localAddress?.ipAddress }
}
