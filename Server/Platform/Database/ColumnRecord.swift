package import Core

/// What a `TableRow` lists: its columns' names, and the values of a row that is written.
final class ColumnRecord {
    /// Those that SELECT names.
    private(set) var read: [StaticString] = []
    /// Those that INSERT names.
    private(set) var written: [StaticString] = []
    /// Of `written`.
    private(set) var values: [SQLValue] = []
    /// No row is written: only the names count.
    let isNaming: Bool

    init<Row: TableRow>(of type: Row.Type, _ value: Row?) {
        isNaming = value == nil
        var row = RowReader(self)
        do {
            _ = try Row(&row, writing: value)
        } catch {
            preconditionFailure("\(Row.self) reads a column without naming its value: \(error)")
        }
    }

    func add<Value: SQLConvertible>(_ name: StaticString, _ value: Value?, isRead: Bool = true) -> Value? {
        if isRead { read.append(name) }
        written.append(name)
        values.append(value.sqlValue)
        return value
    }
}

/// There is nothing to read.
extension ColumnRecord: RowSource {
    func name(_ column: Int) -> String { column < written.count ? "\(written[column])" : "" }
    func isNull(_ column: Int) -> Bool { false }
    func text(_ column: Int) -> String? { nil }
    func withText(_ column: Int, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows -> Bool { false }
    func integer(_ column: Int) -> Int64? { nil }
    func data(_ column: Int) -> [UInt8]? { nil }
}

/// The columns of a `TableRow`: `next` reads the column, or takes `value` where the row is being written. Where only the names are asked
/// for, it answers with nothing of the column's type: an empty text, 0, the first case.
///
/// Written out for each type, because the generic form costs more than reading (see `Row`).
extension RowReader {
    /// Only the names of the columns count; what `next` answers is no value of a row.
    package var isNaming: Bool { record?.isNaming ?? false }

    package mutating func next(_ name: StaticString, _ value: String?) throws -> String {
        guard let record else { return try next(name) }
        return record.add(name, value) ?? ""
    }

    package mutating func next(_ name: StaticString, _ value: String?) throws -> String? {
        guard let record else { return try next(name) }
        return record.add(name, value)
    }

    package mutating func next(_ name: StaticString, _ value: Int64?) throws -> Int64 {
        guard let record else { return try next(name) }
        return record.add(name, value) ?? 0
    }

    package mutating func next(_ name: StaticString, _ value: Int64?) throws -> Int64? {
        guard let record else { return try next(name) }
        return record.add(name, value)
    }

    package mutating func next(_ name: StaticString, _ value: Int?) throws -> Int {
        guard let record else { return try next(name) }
        return record.add(name, value) ?? 0
    }

    package mutating func next(_ name: StaticString, _ value: Int?) throws -> Int? {
        guard let record else { return try next(name) }
        return record.add(name, value)
    }

    package mutating func next(_ name: StaticString, _ value: Bool?) throws -> Bool {
        guard let record else { return try next(name) }
        return record.add(name, value) ?? false
    }

    package mutating func next(_ name: StaticString, _ value: Timestamp?) throws -> Timestamp {
        guard let record else { return try next(name) }
        return record.add(name, value) ?? Timestamp(microseconds: 0)
    }

    package mutating func next(_ name: StaticString, _ value: Timestamp?) throws -> Timestamp? {
        guard let record else { return try next(name) }
        return record.add(name, value)
    }

    package mutating func next(_ name: StaticString, _ value: [UInt8]?) throws -> [UInt8] {
        guard let record else { return try next(name) }
        return record.add(name, value) ?? []
    }

    package mutating func next(_ name: StaticString, _ value: [UInt8]?) throws -> [UInt8]? {
        guard let record else { return try next(name) }
        return record.add(name, value)
    }

    /// A list of texts, as `TextList` writes it.
    package mutating func nextTexts(_ name: StaticString, _ value: [String]?) throws -> [String] {
        guard let record else { return try nextTexts(name) }
        _ = record.add(name, value.map(TextList.encode))
        return value ?? []
    }

    /// A word of a few. For tables whose rows are not read by the thousand: it is generic.
    package mutating func next<Word: RawRepresentable<String> & CaseIterable>(_ name: StaticString, _ value: Word?) throws -> Word {
        let text: String = try next(name, value?.rawValue)
        guard let word = isNaming ? Word.allCases.first : Word(rawValue: text) else { throw DatabaseError.column("\(name)") }
        return word
    }

    /// A column that is only written: whoever reads the rows knows it.
    package mutating func write(_ name: StaticString, _ value: String?) { _ = record?.add(name, value, isRead: false) }
}
