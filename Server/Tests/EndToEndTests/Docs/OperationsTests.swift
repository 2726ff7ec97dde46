import Database
import Foundation
import TestKit
import TestThreads
import Testing

@testable import keepsake

/// docs/operations.md and the pages in docs/operations.
@Suite("The operations documents", .blocksThreads)
struct OperationsTests {
    @Test("docs/operations/scale.md says of every table how it can be sharded")
    func tables() throws {
        let folder = try TemporaryFolder()
        // Creates the schema.
        #expect(try ServerProcess.run(["doctor", "--data", folder.path]).status == 0)
        let script = """
            import sqlite3, sys
            names = sqlite3.connect(sys.argv[1]).execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            print("\\n".join(name for (name,) in names))
            """
        let output = try Tool.run("python3", ["-c", script, folder.path + "/keepsake.sqlite"])
        // Leaves out SQLite's own tables and those of its full-text index.
        let tables = output.split(separator: "\n").filter { !$0.hasPrefix("sqlite_") && !$0.hasPrefix("search_word_") }
        try #require(tables.count > 40)
        let page = try Self.text("docs/operations/scale.md")
        let described = Set(
            page.split(separator: "\n").filter { $0.hasPrefix("| `") }.flatMap { row in
                row.dropFirst().prefix { $0 != "|" }.matches(of: /`([a-z_]+)`/).map { $0.output.1 }
            })
        for table in tables { #expect(described.contains(table), "docs/operations/scale.md does not mention the table \(table)") }
    }

    @Test("every link between the documents leads to a file, and to a heading in it")
    func links() throws {
        let pages =
            ["README.md", "docs/api.md", "docs/features.md", "docs/testing.md", "docs/operations.md"] + (try Self.pages())
        var count = 0
        for page in pages {
            for match in try Self.text(page).matches(of: /\]\(([^)\s]+)\)/) {
                let target = String(match.output.1)
                if target.contains("://") { continue }
                let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                let base = URL(filePath: "/" + page)
                let other = base.deletingLastPathComponent().appending(path: parts[0]).standardizedFileURL.path.dropFirst()
                let path = parts[0].isEmpty ? page : String(other)
                #expect(FileManager.default.fileExists(atPath: Repository.folder + "/" + path), "\(page): \(target)")
                if parts.count == 2 {
                    count += 1
                    #expect(try Self.anchors(of: path).contains(parts[1]), "\(page): \(target)")
                }
            }
        }
        // Control: the check has found links to headings.
        #expect(count > 20)
    }

    @Test("docs/operations.md lists every page of docs/operations")
    func index() throws {
        let index = try Self.text("docs/operations.md")
        for page in try Self.pages() { #expect(index.contains("](" + page.dropFirst("docs/".count) + ")"), "\(page)") }
    }

    @Test("upgrades.md has a section for this version, which names its migrations that rewrite rows or index tables that were there before")
    func upgrades() throws {
        let page = try Self.text("docs/operations/upgrades.md")
        let start = try #require(page.range(of: "\n## \(Keepsake.version)\n"))
        let rest = page[start.upperBound...]
        let section = rest[..<(rest.range(of: "\n## ")?.lowerBound ?? rest.endIndex)]
        let migrations = Backend.migrations.filter { $0.release == Keepsake.release }
        let all = migrations.map { (name: $0.name, statements: $0.statements + $0.sqlite + $0.postgres) }
        let created = Set(all.flatMap(\.statements).compactMap { $0.firstMatch(of: /CREATE TABLE ([a-z_]+)/)?.output.1 }.map(String.init))
        try #require(!created.isEmpty)
        for (name, statements) in all {
            let isLong = statements.contains { statement in
                if statement.firstMatch(of: /^\s*UPDATE\s/) != nil { return true }
                guard let index = statement.firstMatch(of: /CREATE (?:UNIQUE )?INDEX [a-z_]+\s+ON ([a-z_]+)/) else { return false }
                return !created.contains(String(index.output.1))
            }
            #expect(section.contains("`\(name)`") == isLong, "\(name)")
        }
    }

    private static func text(_ path: String) throws -> String {
        try String(contentsOfFile: Repository.folder + "/" + path, encoding: .utf8)
    }

    private static func pages() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: Repository.folder + "/docs/operations").sorted().map { "docs/operations/" + $0 }
    }

    /// The anchors that Markdown viewers give to headings.
    private static func anchors(of path: String) throws -> Set<String> {
        let headings = try text(path).matches(of: /(?m)^#+ (.+)$/).map { String($0.output.1) }
        let isKept = { (character: Character) in character.isLetter || character.isNumber || "-_ ".contains(character) }
        return Set(headings.map { $0.lowercased().filter(isKept).replacing(" ", with: "-") })
    }
}
