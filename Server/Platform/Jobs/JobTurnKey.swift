internal import Core
internal import Crypto

/// The key by which a job takes turns, in addition to its account. It is stored with the job, and is removed with it.
///
/// A parked job keeps its key even after the data that its payload refers to was deleted, so neither part may be personal data.
package struct JobTurnKey: Sendable, Hashable {
    /// Who asked for a job that belongs to no account. Such jobs take turns by party, as other jobs take turns by account. Without a party,
    /// they take turns by kind.
    package let party: String?
    /// The service that the job waits for. At most a quarter of a runner's places wait for the same one.
    package let target: String?

    /// - Parameters:
    ///   - party: 1...64 bytes without spaces.
    ///   - target: 1...64 bytes without spaces.
    package init(party: String? = nil, target: String? = nil) {
        for part in [party, target].compactMap({ $0 }) {
            precondition((1...64).contains(part.utf8.count) && !part.utf8.contains(UInt8(ascii: " ")), "a part of a turn key is unusable")
        }
        self.party = party
        self.target = target
    }

    /// Makes a part of a key from a text that nobody may learn from the job: 16 bits of the text's hash, which thousands of other texts
    /// share. All nodes compute the same part. Texts with the same part take turns as if they were one text.
    package static func part(of text: String) -> String { Hex.encode(SHA256.hash(data: Array(text.utf8)).prefix(2)) }

    /// The inverse of `text`.
    init(text: String) {
        let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
        party = parts[0].isEmpty ? nil : String(parts[0])
        target = parts.count < 2 || parts[1].isEmpty ? nil : String(parts[1])
    }

    /// As stored: `PARTY TARGET`. `nil` when it has neither.
    package var text: String? { party == nil && target == nil ? nil : "\(party ?? "") \(target ?? "")" }
}
