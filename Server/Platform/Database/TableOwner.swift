/// A module that owns tables: a feature or a platform module.
package protocol TableOwner: Sendable {
    /// The module's migrations, in the order in which they run. Append-only.
    static var migrations: [Migration] { get }
    /// The module's tables that hold an account's data, for the account's archive and its deletion.
    static var personalTables: [PersonalTable] { get }
    /// Tables whose rows belong to running processes or to this database, for example leases. Neither a copy of the installation nor a
    /// backup has their rows.
    static var localTables: [String] { get }
    /// Tables that a restore of a backup leaves empty unless the operator keeps sessions: their rows may have been revoked after the backup.
    static var revocableTables: [String] { get }
    /// Tables that a restore always leaves empty.
    static var unrestoredTables: [String] { get }
}

extension TableOwner {
    package static var personalTables: [PersonalTable] { [] }
    package static var localTables: [String] { [] }
    package static var revocableTables: [String] { [] }
    package static var unrestoredTables: [String] { [] }
}
