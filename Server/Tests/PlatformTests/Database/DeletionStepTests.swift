import TestKit
import Testing

@testable import Database

@Suite("The steps of a deletion")
struct DeletionStepTests {
    private static let migration = Migration(
        "suite/001-note", [#"CREATE TABLE note (id TEXT COLLATE "C" PRIMARY KEY NOT NULL, kind TEXT NOT NULL, row_bytes BIGINT)"#])

    @Test("a step has the first rows that fit, and at least one; a row that is not counted is as long as a step")
    func counts() {
        let cases: [([Int64?], Int)] = [
            ([], 0), ([1], 1), ([100], 1), ([101], 1), ([.max], 1), ([nil], 1), ([nil, nil], 1), ([nil, 1], 1), ([1, nil], 1),
            ([50, 50, 1], 2), ([50, 51, 1], 1), ([101, 1], 1), ([1, .max, 1], 1), ([10, 20, 30, 40, 50], 4), ([0, 0, 100, 0], 4),
        ]
        for (rowBytes, count) in cases { #expect(DeletionStep.rowCount(rowBytes, byteCount: 100) == count, "\(rowBytes)") }
        #expect(DeletionStep.byteCount == 2_097_152)
        #expect(DeletionStep.rowCount([1_048_576, 1_048_576, 1] as [Int64?]) == 2)
    }

    @Test("steps take all rows in their order, each at most the rows and the bytes that it may", arguments: Engine.allCases)
    func steps(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        let database = try await stores.open()
        try await database.migrate([Self.migration])
        let rowBytes: [Int64?] = [40, 40, 40, nil, 200] + [Int64?](repeating: 1, count: 30)
        let ids = rowBytes.indices.map { $0 < 10 ? "n0\($0)" : "n\($0)" }
        let (steps, reads) = try await database.write { tx in
            for (id, count) in zip(ids, rowBytes) {
                try tx.send("INSERT INTO note (id, kind, row_bytes) VALUES (\(id), \("k" + id), \(count))")
            }
            var (steps, reads): ([[String]], [Int]) = ([], [])
            while steps.last?.isEmpty != true {
                let step = try tx.deletionStep(limit: 20, byteCount: 100) { limit in
                    reads.append(limit)
                    return "SELECT id, row_bytes FROM note ORDER BY id LIMIT \(limit)"
                }
                for id in step { try tx.run("DELETE FROM note WHERE id = \(id)") }
                steps.append(step)
            }
            return (steps, reads)
        }
        #expect(steps.map(\.count) == [2, 1, 1, 1, 20, 10, 0] && steps.flatMap { $0 } == ids)
        // A step reads more than eight rows only if the first eight fit into its bytes.
        #expect(reads == [8, 8, 8, 8, 8, 20, 8, 20, 8])
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    @Test("a step reads other columns before the bytes", arguments: Engine.allCases)
    func elements(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        let database = try await stores.open()
        try await database.migrate([Self.migration])
        let step: [(kind: String, id: String)] = try await database.write { tx in
            for (id, count) in [("a", 60), ("b", 40), ("c", 1)] {
                try tx.send("INSERT INTO note (id, kind, row_bytes) VALUES (\(id), \("k" + id), \(count))")
            }
            return try tx.deletionStep(
                limit: 5, byteCount: 100, { "SELECT kind, id, row_bytes FROM note ORDER BY id LIMIT \($0)" }
            ) { row in (try row.next("kind"), try row.next("id")) }
        }
        #expect(step.map(\.kind) == ["ka", "kb"] && step.map(\.id) == ["a", "b"])
        try await database.close()
        withExtendedLifetime(stores) {}
    }
}
