/// A module that owns tables: a feature or a platform module.
package protocol TableOwner: Sendable {
    /// The module's migrations, in the order in which they run. Append-only.
    static var migrations: [Migration] { get }
    /// The module's tables that hold an account's data, for the account's archive and its deletion.
    static var personalTables: [PersonalTable] { get }
}

extension TableOwner {
    package static var personalTables: [PersonalTable] { [] }
}
