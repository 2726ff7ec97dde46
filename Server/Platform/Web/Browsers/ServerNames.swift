import Core
import HTTPServer
import Hummingbird

extension AllowedOrigins {
    /// Whether `authority` is a name of this server: the public URL's or a listed origin's, of any port; `localhost` or a loopback
    /// address; or the very address that the connection came to.
    ///
    /// A page of evil.example whose name is made to point here after it was loaded (DNS rebinding) is of the same origin as our answers,
    /// for its browser. What gives it away is the name in `Host`.
    /// - Parameters:
    ///   - authority: the request's `Host`. `nil`, which only HTTP/1.0 allows, is no browser's.
    ///   - localAddress: this end of the socket.
    func isOurs(_ authority: String?, localAddress: String?) -> Bool {
        guard let authority else { return true }
        let host = Self.host(of: authority)
        if host == "localhost" { return true }
        if let address = IPAddress(host) {
            if address.isLoopback { return true }
            if let localAddress, IPAddress(localAddress) == address { return true }
        }
        return hosts.contains(host)
    }

    /// Without its port and its brackets, in lower case.
    static func host(of authority: String) -> String {
        if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }).lowercased() }
        return String(authority.prefix { $0 != ":" }).lowercased()
    }
}

extension WebContext {
    /// - Throws: `.forbidden` for a request without a credential that was sent to a name which is not ours.
    func requireOurName(_ request: Request, _ origins: AllowedOrigins) throws {
        guard [.get, .head].contains(request.method), !origins.isOurs(request.head.authority, localAddress: localAddress) else { return }
        throw Problem(
            .forbidden,
            "This server does not answer to the name in Host. Use its public URL, or add the name to KEEPSAKE_ORIGINS.", field: "Host")
    }

    /// This end of the socket.
    var localAddress: String? { channel.localAddress?.ipAddress }
}
