/// The address of a clamd: `unix:/path`, `tcp:host:port` or `tcp:[ipv6]:port`.
package enum ClamdAddress: Sendable, Equatable, CustomStringConvertible {
    case unix(path: String)
    case tcp(host: String, port: Int)

    /// `nil` when the text has none of these forms, the path is not absolute or too long for a socket (107 bytes), or the port is not
    /// 1...65535.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/"), path.utf8.count <= 107, !path.utf8.contains(0) else { return nil }
            self = .unix(path: path)
        } else if text.hasPrefix("tcp:"), let colon = text.lastIndex(of: ":") {
            let middle = text.index(text.startIndex, offsetBy: 4)
            guard middle < colon, let port = Int(text[text.index(after: colon)...]), 1...65_535 ~= port else { return nil }
            var host = text[middle..<colon]
            if host.hasPrefix("["), host.hasSuffix("]") {
                host = host.dropFirst().dropLast()
            } else if host.contains(":") {
                return nil
            }
            guard !host.isEmpty, !host.utf8.contains(0) else { return nil }
            self = .tcp(host: String(host), port: port)
        } else {
            return nil
        }
    }

    package var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let host, let port): host.contains(":") ? "tcp:[\(host)]:\(port)" : "tcp:\(host):\(port)"
        }
    }
}
