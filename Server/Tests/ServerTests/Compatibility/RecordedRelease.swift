import Foundation
import TestKit

@testable import Database

/// What `scripts/record-sql` recorded of the last release. It is in the folder `compat/` of the repository.
struct RecordedRelease {
    let version: String
    let release: Int
    let statements: [SQL]
    /// The checksum of each migration, by its name.
    let migrations: [String: String]

    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../compat").standardizedFileURL.path

    init(_ engine: Engine) throws {
        let lines = try Self.lines("\(engine.rawValue.lowercased()).sql")
        guard let header = lines.first?.firstMatch(of: /Keepsake (\S+) \(release (\d+)\)/), let release = Int(header.output.2) else {
            throw Missing(description: "the first line of \(engine.rawValue.lowercased()).sql names no release")
        }
        version = String(header.output.1)
        self.release = release
        statements = lines.filter { !$0.hasPrefix("--") }.map(Self.statement)
        migrations = try Self.lines("migrations.txt").filter { !$0.hasPrefix("#") }.reduce(into: [:]) { migrations, line in
            let parts = line.split(separator: " ")
            if parts.count == 2 { migrations[String(parts[0])] = String(parts[1]) }
        }
    }

    private static func lines(_ name: String) throws -> [String] {
        guard let text = try? String(contentsOfFile: folder + "/" + name, encoding: .utf8) else {
            throw Missing(description: "compat/\(name) is missing; scripts/record-sql writes it")
        }
        return text.split(separator: "\n").map(String.init)
    }

    /// Parses a line, which is a statement and, after ` -- `, the types of its values: `DELETE FROM node WHERE id = $1 -- text`. The values
    /// were not recorded, so each is replaced by a value of its type that every cast accepts.
    private static func statement(_ line: String) -> SQL {
        let parts = line.components(separatedBy: " -- ")
        let kinds = parts.count > 1 ? parts[1].components(separatedBy: ", ") : []
        var sql: SQL = ""
        var rest = Substring(parts[0])
        while let place = rest.firstMatch(of: /\$(\d+)/), let number = Int(place.output.1) {
            sql = sql + SQL(verbatim: String(rest[..<place.range.lowerBound]))
            switch number <= kinds.count ? kinds[number - 1] : "null" {
            case "integer": sql = sql + "\(1)"
            case "real": sql = sql + "\(1.0)"
            case "text": sql = sql + "\("x")"
            case "bytes": sql = sql + "\([UInt8(1)])"
            default: sql = sql + "\(String?.none)"
            }
            rest = rest[place.range.upperBound...]
        }
        return sql + SQL(verbatim: String(rest))
    }
}
