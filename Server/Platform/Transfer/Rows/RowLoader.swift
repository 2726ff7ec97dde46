import Core
import Database

/// Replaces the rows of a database by those of row files, and writes only what differs. It can run again after it was killed.
struct RowLoader: Sendable {
    /// The most rows of a table that wait because another row still holds a value that must be unique; a table has few of them.
    private static let mostPostponed = 10_000
    /// The most rows of one write.
    private static let batchCount = 512
    /// The most keys of the file that are compared at a time, to find rows to delete.
    private static let keyCount = 512
    /// The most tables whose rows are compared at the same time: while one waits for the database, the other compares.
    private static let tablesAtOnce = 2

    let database: any Database
    let rules: TableRules
    /// Called with the new rows of `blob` before they are inserted, because their bytes must be there first.
    let beforeBlobs: @Sendable ([BlobRow]) async throws -> Void
    /// Called before rows of `blob` are deleted.
    let beforeBlobDeletion: @Sendable ([BlobRow.Key]) async throws -> Void
    /// Called with the number of rows compared since the last call.
    let progress: @Sendable (Int) -> Void

    struct Counts: Sendable, Equatable {
        /// Inserted or replaced.
        var written = 0
        var deleted = 0
    }

    /// - Parameters:
    ///   - tables: in the order in which rows can be inserted.
    ///   - file: the path of a table's row file; `nil` for a table that must become empty.
    func load(_ tables: [StoredTable], _ file: @escaping @Sendable (StoredTable) -> String?) async throws -> Counts {
        var counts = Counts()
        var filled: Set<String> = []
        for table in tables where try await database.read({ tx in try tx.row(table.statements.any) }) != nil { filled.insert(table.name) }
        // Rows are deleted first, because a new row may use a unique value that a deleted row still holds.
        let found = try await together(tables.filter { filled.contains($0.name) }, atMost: Self.tablesAtOnce) { table -> String? in
            try await hasSurplus(table, file(table)) ? table.name : nil
        }
        let surplus = Set(found.compactMap { $0 })
        var isBlocked = false
        for table in tables.reversed() where surplus.contains(table.name) {
            isBlocked = try await !delete(table, file(table), isLast: false, &counts) || isBlocked
        }
        for level in Self.levels(of: tables) {
            let written = try await together(level, atMost: Self.tablesAtOnce) { [filled] table -> Int in
                guard let path = file(table) else { return 0 }
                return try await write(table, path, isFilled: filled.contains(table.name))
            }
            counts.written += written.reduce(0, +)
        }
        // A row to which a changed row referred can be deleted only now.
        if isBlocked {
            for table in tables.reversed() where surplus.contains(table.name) {
                _ = try await delete(table, file(table), isLast: true, &counts)
            }
        }
        try await finish(tables)
        return counts
    }

    // MARK: Deletions

    private func hasSurplus(_ table: StoredTable, _ path: String?) async throws -> Bool {
        var isFound = false
        try await eachSurplus(of: table, path) { _ in
            isFound = true
            return false
        }
        return isFound
    }

    /// Deletes the rows whose keys are not in the file.
    /// - Returns: whether all could be deleted; throws instead if `isLast`.
    private func delete(_ table: StoredTable, _ path: String?, isLast: Bool, _ counts: inout Counts) async throws -> Bool {
        var isComplete = true
        try await eachSurplus(of: table, path) { surplus in
            if table.name == BlobRow.table { try await beforeBlobDeletion(surplus.compactMap { BlobRow.key($0[0]) }) }
            do {
                try await delete(surplus, of: table)
                counts.deleted += surplus.count
            } catch DatabaseError.foreignKeyViolation where !isLast {
                isComplete = false
            }
            return true
        }
        return isComplete
    }

    /// Finds the keys that the database has and the file has not.
    /// - Parameter body: called with one or more of these keys at a time, in the order of the keys; returns whether to continue.
    private func eachSurplus(of table: StoredTable, _ path: String?, _ body: ([[SQLValue]]) async throws -> Bool) async throws {
        let statements = table.statements
        let positions = table.keyPositions
        var reading = try path.map { try RowReading($0, columnCount: table.columns.count) }
        var last: [SQLValue]?
        var isAtEnd = false
        while !isAtEnd {
            let page = try reading?.page(Self.keyCount) ?? []
            isAtEnd = page.isEmpty
            let kept = page.map { row in positions.map { row[$0] } }
            let end = kept.last
            var after = last
            while true {
                // This reads one key more than the page has. If both sides have the same keys, this read is the only one.
                let found = try await database.read { [after] tx in
                    try tx.rows(statements.keys(after: after, through: end, limit: Self.keyCount + 1)).map(\.values)
                }
                if found != kept {
                    let known = Set(kept)
                    let surplus = found.filter { !known.contains($0) }
                    if !surplus.isEmpty, try await !body(surplus) { return }
                }
                guard found.count > Self.keyCount else { break }
                after = found.last
            }
            last = end
        }
    }

    private func delete(_ keys: [[SQLValue]], of table: StoredTable) async throws {
        let index = rules.indexes[table.name]
        let statements = table.statements
        try await database.write { tx in
            for key in keys {
                try tx.send(statements.delete(key))
                guard let index, case .integer(let number) = key[0] else { continue }
                for statement in tx.tokenSearch.removal(from: index, number: number) { try tx.send(statement) }
            }
        }
    }

    // MARK: Rows

    /// Groups the tables, so that each one follows the groups of all tables that it refers to.
    /// - Parameter tables: in the order in which rows can be inserted.
    static func levels(of tables: [StoredTable]) -> [[StoredTable]] {
        var levels: [[StoredTable]] = []
        for table in tables {
            if let last = levels.last, !last.contains(where: { table.references.contains($0.name) }) {
                levels[levels.count - 1].append(table)
            } else {
                levels.append([table])
            }
        }
        return levels
    }

    /// - Returns: how many rows were written.
    private func write(_ table: StoredTable, _ path: String, isFilled: Bool) async throws -> Int {
        var written = 0
        let statements = table.statements
        let positions = table.keyPositions
        var reading = try RowReading(path, columnCount: table.columns.count)
        var last: [SQLValue]?
        var postponed: [[SQLValue]] = []
        while true {
            let page = try reading.page(Self.batchCount)
            guard let end = page.last.map({ row in positions.map { row[$0] } }) else { break }
            let stored = isFilled ? try await existing(table, statements, after: last, through: end) : []
            last = end
            // In most runs, most pages are stored already. Comparing a page with the stored rows takes less time than hashing the keys of
            // its rows.
            if stored == page {
                progress(page.count)
                continue
            }
            let known = Dictionary(stored.map { row in (positions.map { row[$0] }, row) }) { $1 }
            let changed = page.filter { row in known[positions.map { row[$0] }] != row }
            if table.name == BlobRow.table, !changed.isEmpty {
                let new = changed.filter { row in known[positions.map { row[$0] }] == nil }
                try await beforeBlobs(try new.map { try BlobRow($0, of: table) })
            }
            try await put(changed, table, statements, &postponed)
            written += changed.count
            progress(page.count)
        }
        try await putPostponed(postponed, table, statements)
        return written
    }

    private func existing(
        _ table: StoredTable, _ statements: StoredTable.Statements, after last: [SQLValue]?, through end: [SQLValue]
    ) async throws -> [[SQLValue]] {
        let positions = table.keyPositions
        var stored: [[SQLValue]] = []
        var after = last
        while true {
            // This reads one row more than the batch has. If both sides have the same keys, this read is the only one.
            let rows = try await database.read { [after] tx in
                try tx.rows(statements.rows(after: after, through: end, limit: Self.batchCount + 1)).map(\.values)
            }
            stored += rows
            guard rows.count > Self.batchCount, let row = rows.last else { return stored }
            after = positions.map { row[$0] }
        }
    }

    private func put(
        _ rows: [[SQLValue]], _ table: StoredTable, _ statements: StoredTable.Statements, _ postponed: inout [[SQLValue]]
    ) async throws {
        guard !rows.isEmpty else { return }
        do {
            return try await putTogether(rows, table, statements)
        } catch DatabaseError.uniqueViolation {
            // Another row holds a unique value that one of these rows needs. So they are written one by one.
        }
        for row in rows {
            do {
                try await putTogether([row], table, statements)
            } catch DatabaseError.uniqueViolation {
                guard postponed.count < Self.mostPostponed else { throw conflict(table) }
                // Deletes the old row with this key, because other rows may take over its values, and inserts the new one at the end. Rows
                // that refer to it are in later tables, which are compared afterwards.
                try await delete([table.keyPositions.map { row[$0] }], of: table)
                postponed.append(row)
            }
        }
    }

    private func putPostponed(_ rows: [[SQLValue]], _ table: StoredTable, _ statements: StoredTable.Statements) async throws {
        var rest = rows
        while !rest.isEmpty {
            var blocked: [[SQLValue]] = []
            for row in rest {
                do {
                    try await putTogether([row], table, statements)
                } catch DatabaseError.uniqueViolation {
                    blocked.append(row)
                }
            }
            guard blocked.count < rest.count else { throw conflict(table) }
            rest = blocked
        }
    }

    private func conflict(_ table: StoredTable) -> TransferFailure {
        TransferFailure(
            .damaged, "Rows of \(table.name) contradict each other, or the target was changed meanwhile. Start with an empty target.")
    }

    private func putTogether(_ rows: [[SQLValue]], _ table: StoredTable, _ statements: StoredTable.Statements) async throws {
        let index = rules.indexes[table.name]
        let names = table.columns.map(\.name)
        let number = table.keyPositions[0]
        do {
            try await database.write { tx in
                for statement in statements.put(rows) { try tx.send(statement) }
                guard let index else { return }
                for row in rows {
                    guard case .integer(let number) = row[number] else { continue }
                    let tokens = try index.tokens(Row(columns: names, values: row))
                    // A trigger may have listed the number as deleted, when a row that this one refers to was deleted.
                    for statement in tx.tokenSearch.removal(from: index, number: number) { try tx.send(statement) }
                    for statement in tx.tokenSearch.replacement(in: index, number: number, tokens: tokens) { try tx.send(statement) }
                }
            }
        } catch DatabaseError.engine(let code, let message) {
            // The engines' messages name neither the table nor the row.
            throw TransferFailure(.damaged, "A row of \(table.name) cannot be stored: \(message) (\(code)).")
        } catch DatabaseError.full {
            throw TransferFailure(.unavailable, "No space is left for the target's database. Free some and run the command again.")
        }
    }

    /// Removes from the full-text index the rows that ON DELETE CASCADE deleted. Makes generated keys continue after the last one.
    private func finish(_ tables: [StoredTable]) async throws {
        for table in tables {
            if let continuation = table.statements.continuation { try await database.write { tx in _ = try tx.rows(continuation) } }
            guard let index = rules.indexes[table.name] else { continue }
            while try await database.write({ tx in try tx.tokenSearch.sweep(index).reduce(0) { try $0 + tx.run($1) } }) > 0 {}
        }
    }
}
