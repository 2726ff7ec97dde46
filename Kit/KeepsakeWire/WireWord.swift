/// One of the fixed values of a field of the API, for example the status of a capsule.
///
/// A newer server may send a value that this version does not know. Decoding accepts such a value, and `rawValue` keeps it, so a `switch`
/// needs a `default`. The server refuses unknown values in requests.
public protocol WireWord: RawRepresentable<String>, CaseIterable, Codable, Hashable, Sendable, CustomStringConvertible {}

extension WireWord {
    /// Whether this version knows the value: whether `allCases` contains it.
    public var isKnown: Bool { Self.allCases.contains(self) }

    public var description: String { rawValue }
}
