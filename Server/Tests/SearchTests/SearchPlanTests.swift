import Core
import Database
import TestKit
import Testing

@testable import Search

@Suite("Query plans of searches")
struct SearchPlanTests {
    @Test("every other statement finds its rows by an index and sorts nothing", arguments: Engine.allCases)
    func plans(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            let words = SearchWords([.init(field: "title", text: "sea")])
            for sql in [
                SearchStore.extent("ada"), SearchStore.texts(kind: "note", ["a", "b"], owner: "ada", length: 1_000),
                SearchIndex.deletion(kind: "note", id: "a", owner: "ada"),
                SearchIndex.upsert(SearchHome.document("a", ["sea"]), words),
            ] {
                let plan = try await QueryPlan(sql, on: home.database)
                #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            }
        }
    }

    @Test("a search reads the word index first, and then each document by its number", arguments: Engine.allCases)
    func search(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put((0..<200).map { SearchHome.document("d\($0)", ["sea n\($0)"], owner: $0 % 2 == 0 ? "ada" : "eve") })
            let question = try home.question("sea n7", kind: "note")
            switch engine {
            case .sqlite:
                let sql = try await home.database.read { tx in SearchStore.search(question, 0...3, lastPlace: 200, tx.tokenSearch) }
                let plan = try await home.database.plan(sql)
                #expect(plan.contains { $0.contains("VIRTUAL TABLE INDEX") && $0.contains("search_word") }, "\(plan)")
                #expect(plan.contains { $0.contains("SEARCH d USING INTEGER PRIMARY KEY (rowid=?)") }, "\(plan)")
                #expect(!plan.contains { $0.hasPrefix("SCAN d") || $0.contains("TEMP B-TREE") }, "\(plan)")
            case .postgres:
                let plan = try await home.database.write { tx in
                    try tx.run("SET LOCAL enable_seqscan = off")
                    let sql = SearchStore.search(question, 0...3, lastPlace: 200, tx.tokenSearch)
                    return try tx.rows("EXPLAIN (COSTS OFF) \(sql: sql)").map { try $0.get("QUERY PLAN", as: String.self) }
                }
                #expect(plan.contains { $0.contains("Bitmap Index Scan on search_document_by_lexeme") }, "\(plan)")
                #expect(!plan.contains { $0.contains("Seq Scan") || $0.contains("search_document_by_place") }, "\(plan)")
            }
        }
    }
}
