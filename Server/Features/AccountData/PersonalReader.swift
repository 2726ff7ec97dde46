import Blobs
import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire

/// Reads an account's data, a page at a time. Contains all SQL of the feature, built from the tables' declarations.
struct PersonalReader: Sendable {
    /// Rows in a page. A row may contain 65,536 characters of text, and a page is in memory twice.
    static let pageCount = 50

    let database: any Database
    let features: [any Feature]
    let tables: [PersonalTable]

    /// - Parameter work: encodes the JSON, on threads that serve no requests.
    /// - Returns: the next rows, each as a JSON object, and the position of the last; `nil` when there are no more.
    func rows(
        _ table: PersonalTable, of account: String, after position: PersonalTable.Position?, _ work: FairWork
    ) async throws -> (rows: [String], end: PersonalTable.Position)? {
        let rows = try await database.read { tx in try tx.rows(table.page(account, after: position, count: Self.pageCount)) }
        guard let last = rows.last else { return nil }
        return (try await work.compute { try rows.map { try Self.json($0, table) } }, try table.position(of: last))
    }

    func originals(of account: String, in feature: any Feature, after last: OriginalFile?) async throws -> [OriginalFile] {
        try await database.read { tx in try feature.originals(of: account, after: last, limit: Self.pageCount, tx) }
    }

    private static func json(_ row: Row, _ table: PersonalTable) throws -> String {
        var object: [String: JSONValue] = [:]
        for column in table.columns where column.form != .withheld {
            object[column.name] = try value(try row.get(column.name), column.form)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(object), as: UTF8.self)
    }

    private static func value(_ value: SQLValue, _ form: PersonalTable.Column.Form) throws -> JSONValue {
        switch (value, form) {
        case (.null, _): .null
        case (.integer(let value), .time): .string(WireDate.format(microseconds: value, .microseconds))
        case (.integer(let value), .flag): .bool(value != 0)
        case (.integer(let value), _): .integer(value)
        case (.real(let value), _): .number(value)
        case (.text(let text), .json): try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        case (.text(let text), _): .string(text)
        case (.bytes(let bytes), _): .string(Data(bytes).base64EncodedString())
        }
    }
}
