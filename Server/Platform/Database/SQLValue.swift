#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A column's value, in the subset of types that both engines share.
///
/// Two values are equal when their bytes are equal. The engines compare in the same way. Swift's `String` also treats different forms of
/// Unicode as equal, for example `é` as one scalar and as two.
package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])

    package static func == (one: SQLValue, other: SQLValue) -> Bool {
        switch (one, other) {
        case (.null, .null): true
        case (.integer(let one), .integer(let other)): one == other
        case (.real(let one), .real(let other)): one.bitPattern == other.bitPattern
        case (.text(let one), .text(let other)): hasSameBytes(one, other)
        case (.bytes(let one), .bytes(let other)): one == other
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(false)
        case .integer(let number): hasher.combine(number)
        case .real(let number): hasher.combine(number.bitPattern)
        case .text(var text): text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .bytes(let bytes): hasher.combine(bytes)
        }
    }

    private static func hasSameBytes(_ one: String, _ other: String) -> Bool {
        var one = one
        var other = other
        return one.withUTF8 { one in
            other.withUTF8 { other in
                guard one.count == other.count else { return false }
                guard let first = one.baseAddress, let second = other.baseAddress else { return one.isEmpty }
                return memcmp(first, second, one.count) == 0
            }
        }
    }
}
