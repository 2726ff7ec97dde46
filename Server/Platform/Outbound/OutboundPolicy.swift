/// The addresses that the server may send requests to: https to any host, http to this machine, and other http only in development. Plain
/// http is restricted, because a request may contain a key, and a response may decide who can sign in.
package struct OutboundPolicy: Sendable, Equatable {
    /// Whether plain http to other machines is allowed.
    package let allowsPlainHTTP: Bool

    package static let production = OutboundPolicy(allowsPlainHTTP: false)
    package static let development = OutboundPolicy(allowsPlainHTTP: true)

    package func allows(_ url: String) -> Bool {
        guard !url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return false }
        if url.hasPrefix("https://") { return !Self.host(url.dropFirst(8)).isEmpty }
        guard url.hasPrefix("http://") else { return false }
        let host = Self.host(url.dropFirst(7))
        return Self.isLoopback(host) || allowsPlainHTTP && !host.isEmpty
    }

    private static func isLoopback(_ host: Substring) -> Bool {
        if host == "localhost" || host == "[::1]" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        return numbers.count == 4 && numbers[0] == 127 && !numbers.contains(nil)
    }

    /// - Returns: the host; empty when there is none, or when the URL contains a user name, which could disguise the real host.
    private static func host(_ rest: Substring) -> Substring {
        let authority = rest.prefix { !"/?#".contains($0) }
        guard !authority.contains("@"), !authority.contains("\\") else { return "" }
        if authority.hasPrefix("[") { return authority.prefix { $0 != "]" } + "]" }
        return authority.prefix { $0 != ":" }
    }
}
