import Blobs
import Core
import Database
import FeatureKit
import Foundation
import KeepsakeWire
import Web

/// Reads an account's data page by page. Contains all SQL that exports need; it is built from the tables' declarations.
struct PersonalReader: Sendable {
    /// The most rows in a page.
    static let pageCount = 50
    /// The approximate limit of the bytes in a page's rows. An export holds the page until its client has read it. A page has at least one
    /// row, and one row may be longer than the limit: a text of 100,000 characters has up to 400 KB, and in JSON each control character has
    /// six bytes.
    static let pageByteCount = DownloadBody.pieceByteCount

    let database: any Database
    let features: [any Feature]
    let tables: [PersonalTable]

    /// Where a page of a table begins.
    struct Place: Sendable {
        fileprivate let position: PersonalTable.Position?
        /// How many rows are read for the page. After a page of long rows the number is small, because rows that do not fit into the page
        /// are read in vain.
        fileprivate let count: Int

        static let first = Place(position: nil, count: 8)
    }

    /// - Parameters:
    ///   - isFirst: whether the page is the first of its JSON array.
    ///   - work: encodes the JSON, on threads that serve no requests.
    /// - Returns: the rows as elements of a JSON array (empty when there are none), and the place where the next page begins; `nil` instead
    ///   of the place when this is the last page.
    func rows(
        _ table: PersonalTable, of account: String, from place: Place, isFirst: Bool, _ work: FairWork
    ) async throws -> (text: String, next: Place?) {
        let read = try await database.read { tx in try tx.rows(table.page(account, after: place.position, count: place.count)) }
        let rows = Self.fitting(read)
        guard let last = rows.last else { return ("", nil) }
        let text = try await work.compute {
            var page = ""
            for row in rows {
                page += isFirst && page.isEmpty ? "\n" : ",\n"
                page += try Self.json(row, table)
            }
            return page
        }
        if rows.count == read.count, read.count < place.count { return (text, nil) }
        let count = rows.count == read.count ? min(2 * place.count, Self.pageCount) : rows.count
        return (text, Place(position: try table.position(of: last), count: count))
    }

    /// As many of the first rows as fit into a page; at least one row if there is any.
    private static func fitting(_ rows: [Row]) -> ArraySlice<Row> {
        var total = 0
        let fitting = rows.prefix { row in
            total += byteCount(of: row)
            return total <= pageByteCount
        }
        return rows.prefix(max(1, fitting.count))
    }

    /// The approximate length of a row's JSON.
    private static func byteCount(of row: Row) -> Int {
        var total = 0
        for value in row.values {
            // This is about the length of the column's name, and of a number or a time.
            total += 32
            switch value {
            case .text(let text): total += text.utf8.count
            case .bytes(let bytes): total += bytes.count / 3 * 4
            case .null, .integer, .real: break
            }
        }
        return total
    }

    func originals(of account: String, in feature: any Feature, after last: OriginalFile?) async throws -> [OriginalFile] {
        try await database.read { tx in try feature.originals(of: account, after: last, limit: Self.pageCount, tx) }
    }

    private static func json(_ row: Row, _ table: PersonalTable) throws -> String {
        var object: [String: JSONValue] = [:]
        for column in table.columns where column.form != .withheld {
            object[column.name] = try value(try row.get(column.name), column.form)
        }
        let encoder = JSONEncoder.withSortedKeys()
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
