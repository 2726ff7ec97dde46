package import Core

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An IPv4 or IPv6 address. An IPv4 address is stored as its IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2), so it has the same value whether
/// an IPv4 socket or an IPv6 socket reports it.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    fileprivate let bits: UInt128

    private static let mapped = UInt128(0xFFFF) << 32

    fileprivate init(bits: UInt128) { self.bits = bits }

    /// - Parameter text: `192.0.2.1` or `2001:db8::1`; no brackets, no port, no zone.
    package init?(_ text: String) {
        guard text.utf8.count <= 45 else { return nil }
        var four = in_addr()
        var six = in6_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            bits = Self.mapped | UInt128(UInt32(bigEndian: four.s_addr))
        } else if inet_pton(AF_INET6, text, &six) == 1 {
            bits = withUnsafeBytes(of: six) { $0.reduce(0) { $0 << 8 | UInt128($1) } }
        } else {
            return nil
        }
    }

    /// - Parameter bytes: 4 bytes of an IPv4 address, or 16 bytes of an IPv6 address, in network order.
    init?(bytes: some Collection<UInt8>) {
        let number = bytes.reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        switch bytes.count {
        case 4: bits = Self.mapped | number
        case 16: bits = number
        default: return nil
        }
    }

    /// Whether the address is in 127.0.0.0/8 (RFC 1122 §3.2.1.3) or is ::1 (RFC 4291 §2.5.3).
    package var isLoopback: Bool { isIPv4 ? bits >> 24 == Self.mapped >> 24 | 127 : bits == 1 }

    var isIPv4: Bool { bits >> 32 == Self.mapped >> 32 }

    /// The network of one subscriber: the IPv4 address itself, or the /64 of an IPv6 address.
    package var network: Network {
        isIPv4 ? Network(ipv4: UInt32(truncatingIfNeeded: bits)) : Network(ipv6: UInt64(truncatingIfNeeded: bits >> 64))
    }

    package var description: String {
        var text = [CChar](repeating: 0, count: 46)
        if isIPv4 {
            var four = in_addr(s_addr: UInt32(truncatingIfNeeded: bits).bigEndian)
            inet_ntop(AF_INET, &four, &text, 46)
        } else {
            var six = in6_addr()
            withUnsafeMutableBytes(of: &six) { bytes in
                for index in 0..<16 { bytes[index] = UInt8(truncatingIfNeeded: bits >> (8 * UInt128(15 - index))) }
            }
            inet_ntop(AF_INET6, &six, &text, 46)
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

/// A CIDR block of addresses, such as `10.0.0.0/8` or `2001:db8::/32`, or a single address.
package struct AddressBlock: Hashable, Sendable {
    private let bits: UInt128
    private let mask: UInt128

    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = IPAddress(String(parts[0])) else { return nil }
        let isIPv4 = !parts[0].contains(":")
        var length = isIPv4 ? 32 : 128
        if parts.count == 2 {
            guard parts[1].utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int(parts[1]), number <= length else { return nil }
            length = number
        }
        if isIPv4 { length += 96 }
        mask = length == 0 ? 0 : UInt128.max << UInt128(128 - length)
        bits = address.bits & mask
    }

    package func contains(_ address: IPAddress) -> Bool { address.bits & mask == bits }
}
