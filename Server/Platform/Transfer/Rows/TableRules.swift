package import Database

/// What a transfer must know about tables beyond what the engine's catalogue says.
package struct TableRules: Sendable {
    /// Every table that a migration of this program creates.
    let known: Set<String>
    /// Tables with rows that a migration inserts. They are not empty in a new database.
    let filled: Set<String>
    /// Tables without rows in a copy or a backup.
    let local: Set<String>
    /// Tables that a restore leaves empty, unless it keeps sessions.
    let revocable: Set<String>
    /// Tables that a restore always leaves empty.
    let unrestored: Set<String>
    let indexes: [String: TokenTable]
    package let migrations: [Migration]

    /// - Parameter owners: all table owners of the program, in the order of their migrations.
    package init(_ owners: [any TableOwner.Type], indexes: [TokenTable]) {
        migrations = owners.flatMap { $0.migrations }
        known = Set(migrations.flatMap(\.createdTables))
        filled = Set(migrations.flatMap(\.filledTables))
        local = Set(owners.flatMap { $0.localTables } + indexes.flatMap(\.engineTables) + ["schema_migration", "schema_release"])
        revocable = Set(owners.flatMap { $0.revocableTables })
        unrestored = Set(owners.flatMap { $0.unrestoredTables })
        self.indexes = Dictionary(indexes.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The tables to transfer, in an order in which each table follows those that it refers to.
    /// - Throws: when the database has a table that no migration creates: its rows would be left behind silently.
    package func tables(of database: any Database) async throws -> [StoredTable] {
        let all = try await database.tables()
        if let stranger = all.first(where: { !known.contains($0.name) && !local.contains($0.name) }) {
            throw TransferFailure(
                .refused,
                "The database has a table that this version of keepsake does not know: \(stranger.name). Move it to another schema.")
        }
        return try Self.ordered(all.filter { !local.contains($0.name) })
    }

    static func ordered(_ tables: [StoredTable]) throws -> [StoredTable] {
        let names = Set(tables.map(\.name))
        var (rest, done) = (tables, Set<String>())
        var ordered: [StoredTable] = []
        while !rest.isEmpty {
            let ready = rest.filter { table in table.references.allSatisfy { done.contains($0) || !names.contains($0) } }
            guard !ready.isEmpty else {
                throw TransferFailure(
                    .refused, "The tables \(rest.map(\.name).joined(separator: ", ")) refer to themselves or to each other in a cycle.")
            }
            ordered += ready
            done.formUnion(ready.map(\.name))
            rest.removeAll { done.contains($0.name) }
        }
        return ordered
    }
}
