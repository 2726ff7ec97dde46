/// A statement whose values are always bound: `"DELETE FROM media WHERE id = \(id)"` sends the text with a placeholder, and `id`
/// separately. A value cannot be inserted into the text; `\(sql:)` inserts another statement.
package struct SQL: Sendable, ExpressibleByStringInterpolation {
    /// One part of a statement's text.
    package enum Piece: Sendable, Hashable {
        /// A string literal in the program.
        case literal(Literal)
        /// Several pieces joined once: see `joined()`.
        case joined(Joined)
        /// A migration's text.
        case verbatim(String)
        /// The next of `values`.
        case placeholder
    }

    package private(set) var pieces: [Piece]
    package private(set) var values: [SQLValue]

    package init(stringLiteral value: StaticString) {
        pieces = [.literal(Literal(text: value))]
        values = []
    }

    package init(stringInterpolation: StringInterpolation) {
        pieces = stringInterpolation.pieces
        values = stringInterpolation.values
    }

    /// A migration's text, which binds no values.
    init(verbatim text: String) {
        pieces = [.verbatim(text)]
        values = []
    }

    /// A text made of names of the engine's catalogue, which binds no values. Equal texts share a prepared statement.
    init(joining text: String) {
        pieces = [.joined(Joined(text))]
        values = []
    }

    package static func + (a: SQL, b: SQL) -> SQL {
        var joined = a
        joined.pieces += b.pieces
        joined.values += b.values
        return joined
    }

    /// `values`, with commas between them.
    init(bound values: some Collection<SQLValue>) {
        pieces = []
        pieces.reserveCapacity(2 * values.count)
        for _ in values {
            if !pieces.isEmpty { pieces.append(Self.comma) }
            pieces.append(.placeholder)
        }
        self.values = Array(values)
    }

    /// The values of several rows, as they stand between the outer parentheses of VALUES.
    init(rows: some Collection<[SQLValue]>) {
        pieces = []
        values = []
        for row in rows {
            if !pieces.isEmpty { pieces.append(Self.nextRow) }
            for index in row.indices {
                if index > 0 { pieces.append(Self.comma) }
                pieces.append(.placeholder)
            }
            values += row
        }
    }

    /// The parts of a list, with commas between them.
    package static func series(_ parts: some Collection<SQL>) -> SQL {
        var series: SQL = ""
        for (index, part) in parts.enumerated() { series = index == 0 ? part : series + ", " + part }
        return series
    }

    /// `owner = …` for rows that the statement finds by their keys or their words. With a plain `owner = …` and more than about four keys,
    /// SQLite does not look up the keys, but reads all rows of the owner by an index that begins with `owner`. The form here prevents that,
    /// because neither engine can use an index for it.
    package static func owned(by owner: String) -> SQL { "CASE WHEN owner = \(owner) THEN 1 ELSE 0 END = 1" }

    private static let comma = Piece.literal(Literal(text: ", "))
    private static let nextRow = Piece.literal(Literal(text: "), ("))

    /// Makes one piece of the text. Use it for a text that is part of many statements, such as a table's columns: statements with the piece
    /// are compared and copied as fast as with a literal. The text must bind no values.
    func joined() -> SQL {
        precondition(values.isEmpty, "a text that is put together once binds no values")
        var joined: SQL = ""
        joined.pieces = [.joined(Joined(text { _ in "" }))]
        return joined
    }

    /// The text with a placeholder for each value; `number` counts from 1.
    package func text(_ placeholder: (_ number: Int) -> String) -> String {
        var text = ""
        var number = 0
        for piece in pieces {
            switch piece {
            case .literal(let literal): text += "\(literal.text)"
            case .joined(let joined): text += joined.text
            case .verbatim(let written): text += written
            case .placeholder:
                number += 1
                text += placeholder(number)
            }
        }
        return text
    }

    /// Whether the text begins with SELECT. Such a statement changes no rows; one that begins with WITH may.
    package var isSelect: Bool {
        for piece in pieces {
            switch piece {
            // An interpolation at the beginning follows an empty literal.
            case .literal(let literal) where literal.isEmpty: continue
            case .literal(let literal): return "\(literal.text)".hasPrefix("SELECT")
            case .joined(let joined): return joined.text.hasPrefix("SELECT")
            case .verbatim(let written): return written.hasPrefix("SELECT")
            case .placeholder: return false
            }
        }
        return false
    }

    /// A string literal, which lives as long as the program. Equality compares addresses, not bytes, so that looking up a prepared
    /// statement compares only a few addresses. Two literals with the same bytes at different addresses merely take two cache entries.
    package struct Literal: Sendable, Hashable {
        let text: StaticString

        var isEmpty: Bool { text.hasPointerRepresentation && text.utf8CodeUnitCount == 0 }

        private var identity: UInt {
            text.hasPointerRepresentation ? UInt(bitPattern: text.utf8Start) : UInt(text.unicodeScalar.value)
        }

        package static func == (a: Literal, b: Literal) -> Bool {
            a.identity == b.identity && a.text.hasPointerRepresentation == b.text.hasPointerRepresentation
                && (!a.text.hasPointerRepresentation || a.text.utf8CodeUnitCount == b.text.utf8CodeUnitCount)
        }

        package func hash(into hasher: inout Hasher) { hasher.combine(identity) }
    }

    /// A text that lives as long as a statement refers to it. Two with the same text are equal; the hash is computed once.
    package final class Joined: Sendable, Hashable {
        let text: String
        private let hash: Int

        init(_ text: String) {
            self.text = text
            hash = text.hashValue
        }

        package static func == (a: Joined, b: Joined) -> Bool { a === b || (a.hash == b.hash && a.text == b.text) }

        package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        var pieces: [Piece] = []
        var values: [SQLValue] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            pieces.reserveCapacity(2 * interpolationCount + 1)
            values.reserveCapacity(interpolationCount)
        }

        package mutating func appendLiteral(_ literal: StaticString) { pieces.append(.literal(Literal(text: literal))) }

        package mutating func appendInterpolation(_ value: some SQLConvertible) {
            values.append(value.sqlValue)
            pieces.append(.placeholder)
        }

        /// `nil` binds NULL. This is a separate overload, because Swift warns when an optional is passed to the generic method above.
        package mutating func appendInterpolation<Value: SQLConvertible>(_ value: Value?) {
            values.append(value.sqlValue)
            pieces.append(.placeholder)
        }

        package mutating func appendInterpolation(sql: SQL) {
            pieces += sql.pieces
            values += sql.values
        }
    }
}

/// A Swift value that can be bound to a statement and read back from a column.
package protocol SQLConvertible: Sendable {
    var sqlValue: SQLValue { get }
    /// `nil` when the column holds a value of another type.
    init?(sqlValue: SQLValue)
}
