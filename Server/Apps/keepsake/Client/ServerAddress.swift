import Foundation

/// The address of a Keepsake server, in one spelling: scheme and host in lower case, no default port, no slash at the end.
struct ServerAddress: Equatable, Sendable {
    let url: URL

    /// - Throws: `ClientFailure` with exit code 64 unless the text is an `http://` or `https://` URL with a host and nothing but a path
    ///   after it.
    init(_ text: String) throws {
        // The message does not repeat the text, because it may contain a password.
        let wrong = ClientFailure(.usage, "That is not the address of a server. It looks like this: https://keepsake.example.org")
        guard var parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = parts.percentEncodedHost?.lowercased(), !host.isEmpty, parts.user == nil, parts.password == nil, parts.query == nil,
            parts.fragment == nil
        else { throw wrong }
        parts.scheme = scheme
        parts.percentEncodedHost = host
        if parts.port == (scheme == "http" ? 80 : 443) { parts.port = nil }
        while parts.percentEncodedPath.hasSuffix("/") { parts.percentEncodedPath.removeLast() }
        guard let url = parts.url else { throw wrong }
        self.url = url
        // A file's name may have 255 bytes, and the token store appends up to 45.
        guard fileName.utf8.count <= 200 else { throw wrong }
    }

    var text: String { url.absoluteString }

    /// The name of the address's file. Different addresses have different names.
    var fileName: String {
        let kept = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-")
        return (text.addingPercentEncoding(withAllowedCharacters: kept) ?? "") + ".json"
    }

    /// Whether anybody on the network between this computer and the server can read what is sent.
    var isReadableOnTheWay: Bool {
        let host = url.host() ?? ""
        return url.scheme == "http" && !(host == "localhost" || host == "::1" || host == "[::1]" || host.hasPrefix("127."))
    }
}
