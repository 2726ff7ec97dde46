/// A statement whose values are always bound: `"DELETE FROM media WHERE id = \(id)"` sends the text with a
/// placeholder and `id` beside it. There is no way to splice a value into the text; `\(sql:)` splices a statement.
package struct SQL: Sendable, ExpressibleByStringInterpolation {
    /// The text around the values: always one more than there are values.
    package private(set) var fragments: [String]
    package private(set) var values: [SQLValue]

    package init(stringLiteral value: StaticString) {
        fragments = ["\(value)"]
        values = []
    }

    package init(stringInterpolation: StringInterpolation) {
        fragments = stringInterpolation.fragments
        values = stringInterpolation.values
    }

    /// A text written in a migration, which binds nothing.
    init(verbatim text: String) {
        fragments = [text]
        values = []
    }

    package static func + (a: SQL, b: SQL) -> SQL {
        var joined = a
        joined.fragments[joined.fragments.count - 1] += b.fragments[0]
        joined.fragments += b.fragments.dropFirst()
        joined.values += b.values
        return joined
    }

    /// The text with a placeholder for each value; `number` counts from 1.
    func text(_ placeholder: (_ number: Int) -> String) -> String {
        var text = fragments[0]
        for (index, fragment) in fragments.dropFirst().enumerated() {
            text += placeholder(index + 1)
            text += fragment
        }
        return text
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        var fragments = [""]
        var values: [SQLValue] = []

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: StaticString) { fragments[fragments.count - 1] += "\(literal)" }

        package mutating func appendInterpolation(_ value: some SQLConvertible) {
            values.append(value.sqlValue)
            fragments.append("")
        }

        /// `nil` binds NULL. Written out, because Swift takes an optional given to the generic one above for a mistake.
        package mutating func appendInterpolation<Value: SQLConvertible>(_ value: Value?) {
            values.append(value.sqlValue)
            fragments.append("")
        }

        package mutating func appendInterpolation(sql: SQL) {
            fragments[fragments.count - 1] += sql.fragments[0]
            fragments += sql.fragments.dropFirst()
            values += sql.values
        }
    }
}

/// What a column holds, in the closed subset both engines share.
package enum SQLValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case bytes([UInt8])
}

/// A Swift value that can be bound to a statement and read back from a column.
package protocol SQLConvertible: Sendable {
    var sqlValue: SQLValue { get }
    /// `nil` when the column holds something of another kind.
    init?(sqlValue: SQLValue)
}
