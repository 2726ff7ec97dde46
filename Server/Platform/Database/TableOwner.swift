/// A part of the server that has tables: a feature, or a part of the platform.
package protocol TableOwner: Sendable {
    /// Its schema, in the order it is applied. Append-only.
    static var migrations: [Migration] { get }
    /// Those of its tables that hold an account's data: for the account's archive and for its deletion.
    static var personalTables: [PersonalTable] { get }
}

extension TableOwner {
    package static var personalTables: [PersonalTable] { [] }
}
