/// A word of one of the API's lists, for example the status of a capsule.
///
/// A newer server may answer with a word that this version does not know. Such a word decodes too, and `rawValue` keeps it, so a `switch`
/// over words has a `default`. The server refuses unknown words in requests.
public protocol WireWord: RawRepresentable<String>, CaseIterable, Codable, Hashable, Sendable, CustomStringConvertible {}

extension WireWord {
    /// Whether this version knows the word: whether `allCases` contains it.
    public var isKnown: Bool { Self.allCases.contains(self) }

    public var description: String { rawValue }
}
