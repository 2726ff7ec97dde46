/// Where a server under test stores its data. Each test that stores a file runs on both pairs; a parameterised test shows the pair in its
/// name.
package enum StoragePair: String, Sendable, CaseIterable, CustomStringConvertible {
    /// What one machine needs.
    case embedded = "SQLite + files"
    /// What several nodes can share.
    case shared = "PostgreSQL + radosgw"

    /// The pair that contains the engine.
    package init(_ engine: Engine) { self = engine == .sqlite ? .embedded : .shared }

    package var engine: Engine { self == .embedded ? .sqlite : .postgres }
    package var description: String { rawValue }
}
