import Database
import GRDB
import Testing

// GRDB has a type of the same name; an import of one declaration takes precedence.
import struct Database.SQL

@testable import SQLiteEngine

@Suite("Prepared statements of a SQLite connection")
struct SQLiteStatementsTests {
    @Test("a new statement replaces the one whose last use is the longest ago")
    func oldest() throws {
        try DatabaseQueue().inDatabase { connection in
            let statements = SQLiteStatements(limit: 3)
            let texts: [SQL] = ["SELECT 1 AS n", "SELECT 2 AS n", "SELECT 3 AS n", "SELECT 4 AS n"]
            let first = try texts[0...2].map { try statements.statement(for: $0, on: connection) }
            let used = try statements.statement(for: texts[0], on: connection)
            #expect(used === first[0])
            let fourth = try statements.statement(for: texts[3], on: connection)
            // The test looks up the kept statements first, because looking up the replaced one replaces another.
            let kept = try [0, 2, 3].map { try statements.statement(for: texts[$0], on: connection) }
            #expect(kept[0] === first[0] && kept[1] === first[2] && kept[2] === fourth)
            let replaced = try statements.statement(for: texts[1], on: connection)
            #expect(replaced !== first[1])
        }
    }

    @Test("a statement that is not to be kept replaces none")
    func unkept() throws {
        try DatabaseQueue().inDatabase { connection in
            let statements = SQLiteStatements(limit: 1)
            let texts: [SQL] = ["SELECT 1 AS n", "SELECT 2 AS n"]
            let first = try statements.statement(for: texts[0], on: connection)
            let other = try statements.statement(for: texts[1], on: connection, keeps: false)
            let again = try statements.statement(for: texts[0], on: connection)
            #expect(again === first && other !== first)
        }
    }
}
