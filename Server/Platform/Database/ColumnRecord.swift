package import Core

/// Collects the columns that a `TableRow` lists: their names and, when a row is being written, their values.
final class ColumnRecord {
    /// Names of the columns that SELECT reads. Empty unless `isNaming`.
    private(set) var read: [StaticString] = []
    /// Names of the columns that INSERT writes. Empty unless `isNaming`.
    private(set) var written: [StaticString] = []
    /// Values of the columns that INSERT writes.
    private(set) var values: [SQLValue] = []
    /// Whether only the names are collected, and no row is written.
    let isNaming: Bool

    init<Row: TableRow>(of type: Row.Type, _ value: Row?) {
        isNaming = value == nil
        values.reserveCapacity(24)
        var row = RowReader(self)
        do {
            _ = try Row(&row, writing: value)
        } catch {
            preconditionFailure("\(Row.self) reads a column without naming its value: \(error)")
        }
    }

    func add<Value: SQLConvertible>(_ name: StaticString, _ value: Value?, isRead: Bool = true) -> Value? {
        if isNaming {
            if isRead { read.append(name) }
            written.append(name)
        }
        values.append(value.sqlValue)
        return value
    }
}

/// `RowReader` requires a source; this one holds no values.
extension ColumnRecord: RowSource {
    func name(_ column: Int) -> String { column < written.count ? "\(written[column])" : "" }
    func isNull(_ column: Int) -> Bool { false }
    func text(_ column: Int) -> String? { nil }
    func withText(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows -> Bool { false }
    func integer(_ column: Int) -> Int64? { nil }
    func data(_ column: Int) -> [UInt8]? { nil }
}

/// The columns of a `TableRow`. `next` reads the column or, while a row is being written, records `value`. While only names are collected,
/// it returns an empty value of the column's type: an empty text, 0, the first case.
///
/// `value` is an autoclosure, because evaluating it for a row that does not exist costs as much as reading a column.
/// There is one method for each type, because the generic form costs more than the reading (see `Row`).
extension RowReader {
    /// Whether only the names of the columns are collected, and `next` returns placeholders.
    package var isNaming: Bool { record?.isNaming ?? false }

    package mutating func next(_ name: StaticString, _ value: @autoclosure () -> String?) throws -> String {
        guard let record else { return try next(name) }
        return record.add(name, value()) ?? ""
    }

    package mutating func next(_ name: StaticString, _ value: @autoclosure () -> String?) throws -> String? {
        guard let record else { return try next(name) }
        return record.add(name, value())
    }

    package mutating func next(_ name: StaticString, _ value: @autoclosure () -> Int64?) throws -> Int64 {
        guard let record else { return try next(name) }
        return record.add(name, value()) ?? 0
    }

    package mutating func next(_ name: StaticString, _ value: @autoclosure () -> Int64?) throws -> Int64? {
        guard let record else { return try next(name) }
        return record.add(name, value())
    }

    package mutating func next(_ name: StaticString, _ value: @autoclosure () -> Int?) throws -> Int {
        guard let record else { return try next(name) }
        return record.add(name, value()) ?? 0
    }

    package mutating func next(_ name: StaticString, _ value: @autoclosure () -> Int?) throws -> Int? {
        guard let record else { return try next(name) }
        return record.add(name, value())
    }

    package mutating func next(_ name: StaticString, _ value: @autoclosure () -> Bool?) throws -> Bool {
        guard let record else { return try next(name) }
        return record.add(name, value()) ?? false
    }

    package mutating func next(_ name: StaticString, _ value: @autoclosure () -> Timestamp?) throws -> Timestamp {
        guard let record else { return try next(name) }
        return record.add(name, value()) ?? Timestamp(microseconds: 0)
    }

    package mutating func next(_ name: StaticString, _ value: @autoclosure () -> Timestamp?) throws -> Timestamp? {
        guard let record else { return try next(name) }
        return record.add(name, value())
    }

    package mutating func next(_ name: StaticString, _ value: @autoclosure () -> [UInt8]?) throws -> [UInt8] {
        guard let record else { return try next(name) }
        return record.add(name, value()) ?? []
    }

    package mutating func next(_ name: StaticString, _ value: @autoclosure () -> [UInt8]?) throws -> [UInt8]? {
        guard let record else { return try next(name) }
        return record.add(name, value())
    }

    /// A list of texts that `TextList` encoded.
    package mutating func nextTexts(_ name: StaticString, _ value: @autoclosure () -> [String]?) throws -> [String] {
        guard let record else { return try nextTexts(name) }
        let texts = value()
        _ = record.add(name, texts.map(TextList.encode))
        return texts ?? []
    }

    /// An enum stored as text. This method is generic and therefore slow: not for tables whose rows are read by the thousand.
    package mutating func next<Word: RawRepresentable<String> & CaseIterable>(
        _ name: StaticString, _ value: @autoclosure () -> Word?
    ) throws -> Word {
        let text: String = try next(name, value()?.rawValue)
        guard let word = isNaming ? Word.allCases.first : Word(rawValue: text) else { throw DatabaseError.column("\(name)") }
        return word
    }

    /// A column that is written but not read back, because the code that reads the rows already knows its value.
    package mutating func write(_ name: StaticString, _ value: String?) { _ = record?.add(name, value, isRead: false) }
}
