package import Core
import NIOSSL

/// What the server's own certificate says: when it is valid, and for which hosts. It ignores the other certificates of the chain, because
/// the chain may contain one that expired long ago and that no client needs any more.
package struct ServerCertificate: Sendable {
    /// When the certificate begins to be valid, in whole seconds.
    package let begin: Timestamp
    /// When the certificate expires, in whole seconds.
    package let end: Timestamp
    /// The host names in the certificate's subject alternative names, in lower case: `example.org`, `*.example.org`.
    private let hostNames: [String]
    private let addresses: [IPAddress]

    init(_ certificate: NIOSSLCertificate) {
        begin = Timestamp(seconds: Int64(certificate.notValidBefore))
        end = Timestamp(seconds: Int64(certificate.notValidAfter))
        let names = certificate._subjectAlternativeNames()
        hostNames = names.filter { $0.nameType == .dnsName }.map { String(decoding: $0.contents, as: UTF8.self).lowercased() }
        addresses = names.filter { $0.nameType == .ipAddress }.compactMap { IPAddress(bytes: $0.contents) }
    }

    /// The hosts that the certificate covers, as text for people.
    package var names: [String] { hostNames + addresses.map(\.description) }

    /// Whether clients accept the certificate for a host (RFC 9525 §6). `*` matches exactly one label, the first. The common name does not
    /// count, because browsers ignore it.
    /// - Parameter host: a name in ASCII, or an address; an IPv6 address without brackets.
    package func covers(_ host: String) -> Bool {
        if let address = IPAddress(host) { return addresses.contains(address) }
        let host = host.lowercased()
        return hostNames.contains { name in
            guard name.hasPrefix("*.") else { return name == host }
            guard let dot = host.firstIndex(of: "."), dot > host.startIndex else { return false }
            return host[dot...] == name.dropFirst()
        }
    }
}
