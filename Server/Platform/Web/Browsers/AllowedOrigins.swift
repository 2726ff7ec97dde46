import Foundation

/// The web pages that may use what a browser sends along by itself (RFC 6454): those of this server, and those it was told of.
package struct AllowedOrigins: Sendable {
    private let publicURL: @Sendable () -> String
    private let others: Set<String>

    /// - Parameters:
    ///   - publicURL: where this server's own pages are, for example `https://api.example.org`.
    ///   - others: origins as `origin` writes them.
    package init(publicURL: @escaping @Sendable () -> String, others: Set<String> = []) {
        self.publicURL = publicURL
        self.others = others
    }

    /// The hosts of all of them, in lower case and without ports.
    var hosts: Set<String> {
        Set(
            ([publicURL()] + others).compactMap { origin in URL(string: origin)?.host()?.lowercased() }.map { name in
                name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
            })
    }

    /// - Parameter origin: the value of `Origin`.
    func allows(_ origin: String) -> Bool {
        guard let origin = Self.origin(origin) else { return false }
        return others.contains(origin) || origin == URL(string: publicURL()).flatMap(Self.origin)
    }

    /// Also a page of the very host that the request was sent to, by whatever name: for a request that brings our cookie. A browser keeps
    /// those by host, so that a name which somebody else lets point here has none to bring.
    /// - Parameter authority: the request's `Host`; `nil` where there is no cookie.
    func allows(_ origin: String, sentTo authority: String?, isSecure: Bool) -> Bool {
        if allows(origin) { return true }
        guard let authority, let here = Self.origin("\(isSecure ? "https" : "http")://\(authority)") else { return false }
        return Self.origin(origin) == here
    }

    /// An origin as browsers write it: scheme and host in lower case, the port unless it is the scheme's own.
    /// - Returns: `nil` unless the text is an http or https origin and nothing more. `null` is nobody's.
    package static func origin(_ text: String) -> String? {
        guard let url = URL(string: text), url.path.isEmpty, url.query == nil, url.fragment == nil, url.user == nil else { return nil }
        return origin(url)
    }

    private static func origin(_ url: URL) -> String? {
        guard let scheme = url.scheme?.lowercased(), let usual = ["http": 80, "https": 443][scheme],
            let host = url.host()?.lowercased(), !host.isEmpty
        else { return nil }
        // An IPv6 address comes without its brackets.
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        guard let port = url.port, port != usual else { return "\(scheme)://\(name)" }
        return "\(scheme)://\(name):\(port)"
    }
}
