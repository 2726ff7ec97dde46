/// One row of an answer, its columns by name.
package struct Row: Sendable {
    /// Shared by all rows of an answer.
    let columns: [String]
    let values: [SQLValue]

    init(columns: [String], values: [SQLValue]) {
        self.columns = columns
        self.values = values
    }

    /// - Throws: `DatabaseError.column` when there is no such column or it does not hold a `T`.
    package func get<T: SQLConvertible>(_ column: String, as type: T.Type = T.self) throws -> T {
        guard let index = columns.firstIndex(of: column), let value = T(sqlValue: values[index]) else {
            throw DatabaseError.column(column)
        }
        return value
    }
}
