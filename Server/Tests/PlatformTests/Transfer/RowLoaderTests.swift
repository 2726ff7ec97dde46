import Blobs
import Database
import Synchronization
import TestKit
import Testing

@testable import Transfer

@Suite("Rows of a copy")
struct RowLoaderTests {
    @Test("a run without changes reads the target's rows in pages, with one read for each page", arguments: Engine.allCases)
    func reads(_ engine: Engine) async throws {
        let folders = try Folders(2)
        defer { withExtendedLifetime(folders) {} }
        let source = try await Shop(.sqlite, in: folders[0])
        let target = try await Shop(engine, in: folders[1])
        let counted = CountedReads(target.database)
        func run() async throws -> Int {
            let before = counted.count
            let copy = CopyInstallation(source.source, to: counted, target.store, workFolder: source.workFolder)
            _ = try await copy.run(isLast: false)
            return counted.count - before
        }
        _ = try await run()
        let without = try await run()
        try await source.database.write { tx in
            for number in 0..<1_536 { try tx.send("INSERT INTO ticket (id) VALUES (\("ticket-\(number)"))") }
        }
        _ = try await run()
        // The rows fill three pages of 512 rows. Three reads look for rows to delete within the pages, one for rows to delete after the
        // last page, and three for changed rows.
        #expect(try await run() - without == 7)
        #expect(try await target.content() == source.content())
        try await source.close()
        try await target.close()
    }

    @Test("rows are inserted by few statements of at most 128 values and of two texts, in their order")
    func statements() {
        let table = table("wide", columns: 12)
        let rows = (0..<256).map { row in (0..<12).map { SQLValue.integer(Int64(row * 12 + $0)) } }
        let statements = table.statements.put(rows)
        #expect(statements.count == 31)
        #expect(statements.allSatisfy { $0.values.count <= 128 })
        #expect(Set(statements.map { $0.text { _ in "?" } }).count == 2)
        #expect(statements.flatMap(\.values) == rows.flatMap { $0 })
        #expect(table.statements.put([]).isEmpty)
        // A row with more values is a statement of its own.
        #expect(self.table("wider", columns: 200).statements.put([[.null], [.null]]).count == 2)
    }

    @Test("tables that are written at the same time refer to none of each other")
    func levels() {
        let tables = [table("a"), table("b"), table("c", to: ["a"]), table("d"), table("e", to: ["c", "gone"]), table("f", to: ["a"])]
        #expect(RowLoader.levels(of: tables).map { $0.map(\.name) } == [["a", "b"], ["c", "d"], ["e", "f"]])
    }

    private func table(_ name: String, columns: Int = 1, to references: Set<String> = []) -> StoredTable {
        StoredTable(
            name: name, columns: (0..<columns).map { StoredTable.Column(name: "c\($0)", kind: .integer) }, key: ["c0"],
            references: references, generatesKey: false)
    }
}

private final class CountedReads: DatabaseDecorator {
    let base: any Database
    private let reads = Mutex(0)

    init(_ base: any Database) { self.base = base }

    var count: Int { reads.withLock { $0 } }

    func read<T: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> T) async throws -> T {
        reads.withLock { $0 += 1 }
        return try await base.read(body)
    }
}
