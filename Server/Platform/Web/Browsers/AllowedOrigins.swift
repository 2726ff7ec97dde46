import Foundation
import Synchronization

/// The origins (RFC 6454) whose pages may use the credentials that a browser sends by itself: this server's own and the configured ones.
package struct AllowedOrigins: Sendable {
    private let publicURL: @Sendable () -> String
    private let others: Set<String>
    private let last = LastPublicURL()

    /// - Parameters:
    ///   - publicURL: the URL of this server's own pages, for example `https://api.example.org`.
    ///   - others: further origins, in the form that `origin` returns.
    package init(publicURL: @escaping @Sendable () -> String, others: Set<String> = []) {
        self.publicURL = publicURL
        self.others = others
    }

    /// The hosts of all allowed origins, in lower case and without ports.
    var hosts: Set<String> { parsed.hosts }

    private var parsed: LastPublicURL.Parts {
        let url = publicURL()
        // The URL changes at most once, when the server learns its port. Keep what was parsed: Foundation takes as long to parse the URL as
        // the rest of the route takes.
        return last.parts(of: url) {
            LastPublicURL.Parts(origin: URL(string: url).flatMap(Self.origin), hosts: hosts(with: url))
        }
    }

    private func hosts(with url: String) -> Set<String> {
        Set(
            ([url] + others).compactMap { origin in URL(string: origin)?.host()?.lowercased() }.map { name in
                name.hasPrefix("[") ? String(name.dropFirst().dropLast()) : name
            })
    }

    /// - Parameter origin: the value of `Origin`.
    func allows(_ origin: String) -> Bool {
        guard Self.isReadable(origin), let origin = Self.origin(origin) else { return false }
        return others.contains(origin) || origin == parsed.origin
    }

    /// Also allows a page of the host to which the request was sent, whatever its name. Use it for a request that carries our cookie: a
    /// browser keeps cookies by host, so a page under a foreign name that resolves to this server has no cookie to send.
    /// - Parameter authority: the request's `Host`; `nil` when the request carries no cookie.
    func allows(_ origin: String, sentTo authority: String?, isSecure: Bool) -> Bool {
        if allows(origin) { return true }
        guard let authority, Self.isReadable(authority), Self.isReadable(origin),
            let here = Self.origin("\(isSecure ? "https" : "http")://\(authority)")
        else { return false }
        return Self.origin(origin) == here
    }

    /// Whether the server parses this `Origin` or `Host` of a request. Browsers send international names in ASCII (RFC 6454 §6.2).
    /// Foundation takes quadratic time to convert names with other letters, and the event loop parses `Origin` for every response.
    static func isReadable(_ text: String) -> Bool {
        text.utf8.count <= maxByteCount && text.utf8.allSatisfy { $0 < 0x80 }
    }

    /// The most bytes of a text that the server parses. A name has at most 253 bytes as text (RFC 1035 §2.3.4); the rest is for the scheme
    /// and the port.
    static let maxByteCount = 300

    /// Whether an `Origin` is the URL of a socket, for example `wss://api.example.org`. Some libraries for apps, such as Starscream, send
    /// the URL that they open as `Origin`. No page has such an origin, because a page cannot be loaded from a `ws` URL.
    static func isOfSocket(_ origin: String) -> Bool {
        let beginning = String(decoding: origin.utf8.prefix(6), as: UTF8.self).lowercased()
        return beginning.hasPrefix("ws://") || beginning == "wss://"
    }

    /// An origin as browsers write it: scheme and host in lower case, and the port unless it is the scheme's default.
    /// - Returns: `nil` unless the text is an http or https origin and nothing more. In particular, `null` is not an origin.
    package static func origin(_ text: String) -> String? {
        guard let url = URL(string: text), url.path.isEmpty, url.query == nil, url.fragment == nil, url.user == nil else { return nil }
        return origin(url)
    }

    private static func origin(_ url: URL) -> String? {
        guard let scheme = url.scheme?.lowercased(), let usual = ["http": 80, "https": 443][scheme],
            let host = url.host()?.lowercased(), !host.isEmpty
        else { return nil }
        // Foundation returns an IPv6 address without its brackets.
        let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        guard let port = url.port, port != usual else { return "\(scheme)://\(name)" }
        return "\(scheme)://\(name):\(port)"
    }
}

/// What the last public URL was parsed into.
private final class LastPublicURL: Sendable {
    struct Parts: Sendable {
        let origin: String?
        /// The hosts of the public URL and of the configured origins.
        let hosts: Set<String>
    }

    private let last = Mutex<(url: String, parts: Parts)?>(nil)

    func parts(of url: String, _ parse: () -> Parts) -> Parts {
        last.withLock { last in
            if let last, last.url == url { return last.parts }
            let parts = parse()
            last = (url, parts)
            return parts
        }
    }
}
