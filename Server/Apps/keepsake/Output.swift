import Core
import Foundation
import KeepsakeWire

/// Formats the output of commands, for people or as JSON.
enum Output {
    /// Prints names and values: one pair on each line, or one line of JSON. A `nil` value is left out, or `null` in JSON.
    static func print(json isJSON: Bool, _ fields: (String, String?)...) throws {
        if isJSON { return Swift.print(json(fields.map { ($0.0, $0.1.map(JSONValue.string) ?? .null) })) }
        let width = fields.map(\.0.count).max() ?? 0
        for case (let name, let value?) in fields {
            Swift.print(name.replacing("_", with: " ").padding(toLength: width + 2, withPad: " ", startingAt: 0) + value)
        }
    }

    /// One JSON object with its keys in the given order.
    static func json(_ fields: [(String, JSONValue)]) -> String {
        let encoder = JSONEncoder.withSortedKeys()
        func text(_ value: some Encodable) -> String { (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null" }
        return "{" + fields.map { "\(text($0.0)):\(text($0.1))" }.joined(separator: ",") + "}"
    }

    /// `1 file`, `2 files`. The number has no separators, for scripts.
    static func count(_ number: some BinaryInteger, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// The most rows that a command lists.
    private static let mostRows = 1_000

    /// - Throws: `Problem(.invalid)` for a `--limit` that no list accepts.
    static func checkLimit(_ limit: Int) throws {
        guard 1...mostRows ~= limit else { throw Problem(.invalid, "--limit must be from 1 to \(mostRows).", field: "limit") }
    }

    /// A note which says that a list leaves out rows. It is for standard error, where it does not disturb programs that read the list.
    /// - Parameter otherwise: what else people can do to see the other rows.
    static func more(_ nouns: String, limit: Int, otherwise: String) -> String {
        let further = limit < mostRows ? "list more with --limit, up to \(mostRows), or " : ""
        return "there are more \(nouns) than the \(limit) that are listed; \(further)\(otherwise)"
    }

    static func time(_ time: Timestamp) -> String { WireDate.format(time.date, .microseconds) }

    /// A table: rows below their headings. Each column is as wide as its widest cell.
    static func table(_ headings: [String], _ rows: [[String]]) -> String {
        let all = [headings] + rows
        let widths = headings.indices.map { column in all.map { $0[column].count }.max() ?? 0 }
        return all.map { row in
            zip(row, widths).map { cell, width in cell.padding(toLength: width, withPad: " ", startingAt: 0) }
                .joined(separator: "  ").replacing(/\s+$/, with: "")
        }.joined(separator: "\n")
    }
}
