package import Core

/// One row of a result, with columns by name.
package struct Row: Sendable {
    /// Shared by all rows of the result.
    let columns: [String]
    /// One for each of `columns`, in the same order.
    package let values: [SQLValue]

    package init(columns: [String], values: [SQLValue]) {
        self.columns = columns
        self.values = values
    }

    /// - Throws: `DatabaseError.column` when there is no such column or it does not hold a `T`.
    package func get<T: SQLConvertible>(_ column: String, as type: T.Type = T.self) throws -> T {
        guard let value = T(sqlValue: try value(column)) else { throw DatabaseError.column(column) }
        return value
    }

    private func value(_ column: String) throws -> SQLValue {
        guard let index = columns.firstIndex(of: column) else { throw DatabaseError.column(column) }
        return values[index]
    }
}

/// One method for each type that rows of lists use. The generic method, called from another module, asks Swift's runtime for `Optional<T>`
/// and its conformance for every value, which costs more than reading the row.
extension Row {
    package func get(_ column: String) throws -> String {
        guard case .text(let text) = try value(column) else { throw DatabaseError.column(column) }
        return text
    }

    package func get(_ column: String) throws -> String? {
        switch try value(column) {
        case .text(let text): return text
        case .null: return nil
        default: throw DatabaseError.column(column)
        }
    }

    package func get(_ column: String) throws -> Int64 {
        guard case .integer(let number) = try value(column) else { throw DatabaseError.column(column) }
        return number
    }

    package func get(_ column: String) throws -> Int64? {
        switch try value(column) {
        case .integer(let number): return number
        case .null: return nil
        default: throw DatabaseError.column(column)
        }
    }

    package func get(_ column: String) throws -> Int {
        guard let number = Int(exactly: try get(column) as Int64) else { throw DatabaseError.column(column) }
        return number
    }

    package func get(_ column: String) throws -> Int? {
        guard let number: Int64 = try get(column) else { return nil }
        guard let exact = Int(exactly: number) else { throw DatabaseError.column(column) }
        return exact
    }

    package func get(_ column: String) throws -> Timestamp { Timestamp(microseconds: try get(column)) }

    package func get(_ column: String) throws -> Timestamp? { try (get(column) as Int64?).map(Timestamp.init(microseconds:)) }
}
