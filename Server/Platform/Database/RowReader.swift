package import Core

/// The engine's current row. Valid until the engine moves to the next row.
package protocol RowSource: AnyObject {
    func name(_ column: Int) -> String
    func isNull(_ column: Int) -> Bool
    /// `nil` unless the column holds a text.
    func text(_ column: Int) -> String?
    /// Like `text`, but without creating a `String`.
    /// - Returns: whether the column holds a text.
    func withText(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows -> Bool
    /// `nil` unless the column holds a whole number.
    func integer(_ column: Int) -> Int64?
    /// `nil` unless the column holds bytes.
    func data(_ column: Int) -> [UInt8]?
}

/// One row of a list, read column by column while it is the engine's current row. It does not copy the row and does not look up columns by
/// name, so it suits statements that return thousands of rows. Use `Row` for everything else.
///
/// Read all columns in the order in which the statement selects them. The names serve error messages; a debug build checks them. The type
/// is not copyable, because a reader is invalid once the engine moves to the next row.
package struct RowReader: ~Copyable {
    private let source: any RowSource
    private var column = 0
    /// `nil` while a row is read from the database; see `TableRow`.
    let record: ColumnRecord?

    package init(_ source: any RowSource) {
        self.source = source
        record = nil
    }

    init(_ record: ColumnRecord) {
        source = record
        self.record = record
    }

    /// - Throws: `DatabaseError.column` when the column holds a value of another type.
    package mutating func next(_ name: StaticString) throws -> String {
        guard let text = source.text(take(name)) else { throw DatabaseError.column("\(name)") }
        return text
    }

    package mutating func next(_ name: StaticString) throws -> String? {
        let column = take(name)
        if let text = source.text(column) { return text }
        guard source.isNull(column) else { throw DatabaseError.column("\(name)") }
        return nil
    }

    package mutating func next(_ name: StaticString) throws -> Int64 {
        guard let number = source.integer(take(name)) else { throw DatabaseError.column("\(name)") }
        return number
    }

    package mutating func next(_ name: StaticString) throws -> Int64? {
        let column = take(name)
        if let number = source.integer(column) { return number }
        guard source.isNull(column) else { throw DatabaseError.column("\(name)") }
        return nil
    }

    package mutating func next(_ name: StaticString) throws -> Int? {
        guard let number: Int64 = try next(name) else { return nil }
        guard let exact = Int(exactly: number) else { throw DatabaseError.column("\(name)") }
        return exact
    }

    package mutating func next(_ name: StaticString) throws -> Int {
        guard let exact = Int(exactly: try next(name) as Int64) else { throw DatabaseError.column("\(name)") }
        return exact
    }

    package mutating func next(_ name: StaticString) throws -> [UInt8] {
        guard let bytes = source.data(take(name)) else { throw DatabaseError.column("\(name)") }
        return bytes
    }

    package mutating func next(_ name: StaticString) throws -> [UInt8]? {
        let column = take(name)
        if let bytes = source.data(column) { return bytes }
        guard source.isNull(column) else { throw DatabaseError.column("\(name)") }
        return nil
    }

    /// Passes a text to `body` without creating a `String`.
    /// - Returns: `false` when the column is NULL; `body` was not called then.
    package mutating func withText(_ name: StaticString, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws -> Bool {
        let column = take(name)
        if try source.withText(column, body) { return true }
        guard source.isNull(column) else { throw DatabaseError.column("\(name)") }
        return false
    }

    /// A list of texts that `TextList` encoded.
    package mutating func nextTexts(_ name: StaticString) throws -> [String] {
        var texts: [String] = []
        guard try source.withText(take(name), { texts = try TextList.decode($0) }) else { throw DatabaseError.column("\(name)") }
        return texts
    }

    package mutating func next(_ name: StaticString) throws -> Bool {
        let number: Int64 = try next(name)
        guard 0...1 ~= number else { throw DatabaseError.column("\(name)") }
        return number == 1
    }

    package mutating func next(_ name: StaticString) throws -> Timestamp { Timestamp(microseconds: try next(name)) }

    package mutating func next(_ name: StaticString) throws -> Timestamp? { try (next(name) as Int64?).map(Timestamp.init(microseconds:)) }

    private mutating func take(_ name: StaticString) -> Int {
        assert(source.name(column) == "\(name)", "column \(column) is \(source.name(column)), not \(name)")
        defer { column += 1 }
        return column
    }
}
