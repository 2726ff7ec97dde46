internal import Core
internal import Crypto

/// The key by which a job takes turns, in addition to its account. It is stored with the job, and is removed with it.
///
/// It outlives what the payload refers to if the job is parked, so neither part may be personal data.
package struct JobTurnKey: Sendable, Hashable {
    /// Who asked for a job that belongs to no account. Such jobs take turns by it, as others do by their account. Without it, jobs that
    /// belong to no account take turns by kind.
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

    /// A part of a key for a text that nobody may learn from the job: 16 bits of its hash, which thousands of other texts share. All nodes
    /// compute the same. Texts with the same part count as one.
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
