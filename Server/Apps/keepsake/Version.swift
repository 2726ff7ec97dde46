/// What this build of the program is.
enum Keepsake {
    /// The version of the program and of its packages: scripts/dist.sh reads this line.
    static let version = "0.2.0"

    /// Counts the releases, 1…: a release increments it together with `version`. New migrations name it, so that a node knows by how many
    /// releases a schema is newer than its own (docs/decisions/039-schema-compatibility.md).
    static let release = 2
}
