/// The version and release of this build of the program.
enum Keepsake {
    /// The version of the program and of its packages. scripts/dist.sh reads this line.
    static let version = "0.2.0"

    /// The number of this release, counted from 1. A release increments it together with `version`. New migrations state it, so that a node
    /// knows by how many releases a schema is newer than its own (docs/decisions/039-schema-compatibility.md).
    static let release = 2
}
