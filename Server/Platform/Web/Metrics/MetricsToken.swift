package import Core
import Crypto

/// The operator's secret that opens `/metrics` and nothing else. The server keeps only its hash.
package struct MetricsToken: Sendable, CustomStringConvertible, CustomReflectable {
    private let digest: SHA256.Digest

    package init(_ token: Secret<String>) { digest = Self.hash(token.exposed) }

    /// Compares hashes, in constant time, so the time of a response says nothing about the token.
    func matches(_ token: String) -> Bool { Self.hash(token) == digest }

    private static func hash(_ token: String) -> SHA256.Digest { SHA256.hash(data: Array(token.utf8)) }

    package var description: String { "•••" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
