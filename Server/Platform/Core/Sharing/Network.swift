/// What one internet subscriber has: an IPv4 address, or the /64 of an IPv6 address (RFC 6177). Limits count by network, because a
/// subscriber can use every address of its /64.
///
/// A value takes only eight bytes, because every request is counted under its network. `description` is the text form for logs and for keys
/// in the database.
package struct Network: Hashable, Sendable {
    /// The first half of an IPv6 address, or `ipv4Mark` and an IPv4 address.
    private let bits: UInt64

    /// The upper half of `bits` for an IPv4 address. No IPv6 address begins with it: no request comes from ff00::/8, which is multicast
    /// (RFC 4291 §2.7).
    private static let ipv4Mark: UInt64 = 0xFFFF_FFFF << 32

    package init(ipv4 address: UInt32) { bits = Self.ipv4Mark | UInt64(address) }

    /// - Parameter prefix: the first 64 bits of the address.
    package init(ipv6 prefix: UInt64) { bits = prefix }

    private var isIPv4: Bool { bits & Self.ipv4Mark == Self.ipv4Mark }

    /// The site that an IPv6 network belongs to: its first 48 bits, which one customer may get (RFC 6177). `nil` for an IPv4 address.
    package var site: Network? { isIPv4 ? nil : Network(ipv6: bits & ~0xFFFF) }
}

extension Network: CustomStringConvertible {
    /// `192.0.2.1`, or the first address of the /64: `2001:db8:1:2::` (RFC 5952).
    package var description: String {
        if isIPv4 {
            return [24, 16, 8, 0].map { String(bits >> $0 & 0xFF) }.joined(separator: ".")
        }
        var groups = [48, 32, 16, 0].map { bits >> UInt64($0) & 0xFFFF }
        // `::` replaces the longest run of zeros, which includes the trailing zeros: the last four groups of the address are zero.
        while groups.last == 0 { groups.removeLast() }
        return groups.map { String($0, radix: 16) }.joined(separator: ":") + "::"
    }
}
