import Accounts
import Core
import SQLiteEngine
import TestKit

@testable import Database
@testable import Search

/// The search feature on its own real store, with two accounts.
struct SearchHome: Sendable {
    let database: any Database
    let index = SearchIndex()
    var store: SearchStore {
        SearchStore(database: database, kinds: [], work: FairWork(SearchFeature.limits(processors: 2)))
    }

    static func run<T>(_ engine: Engine, _ body: (SearchHome) async throws -> T) async throws -> T {
        let stores = try TestStores(engine)
        let database = try await stores.open()
        do {
            try await database.migrate(AccountsFeature.migrations + SearchFeature.migrations)
            let home = SearchHome(database: database)
            for owner in ["ada", "eve"] { try await home.join(owner) }
            let result = try await body(home)
            try await database.close()
            withExtendedLifetime(stores) {}
            return result
        } catch {
            try? await database.close()
            throw error
        }
    }

    func join(_ owner: String) async throws {
        _ = try await database.write { tx in try tx.run("INSERT INTO account (id, created_at) VALUES (\(owner), 1)") }
    }

    /// - Parameter texts: the texts of the document, the most important first.
    static func document(_ id: String, _ texts: [String], owner: String = "ada", kind: String = "note", at: Int64 = 0) -> SearchDocument {
        let fields = ["title", "note", "reason", "tags"]
        return SearchDocument(
            kind: kind, id: id, owner: owner, at: Timestamp(seconds: at),
            texts: texts.enumerated().map { (fields[min($0.offset, 3)], $0.element) })
    }

    func put(_ documents: [SearchDocument]) async throws {
        try await database.write { [index] tx in for document in documents { try index.put(document, tx) } }
    }

    func put(_ id: String, _ texts: String..., owner: String = "ada", kind: String = "note", at: Int64 = 0) async throws {
        try await put([Self.document(id, texts, owner: owner, kind: kind, at: at)])
    }

    func remove(_ id: String, owner: String = "ada", kind: String = "note") async throws {
        try await database.write { [index] tx in try index.remove(kind: kind, id: id, owner: owner, tx) }
    }

    func question(_ q: String, owner: String = "ada", kind: String? = nil) throws -> SearchStore.Question {
        SearchStore.Question(owner: owner, terms: try SearchRules.terms(q), kind: kind)
    }

    /// The ids of all results, read in pages of `limit`.
    func find(_ q: String, owner: String = "ada", kind: String? = nil, limit: Int = 1_000) async throws -> [String] {
        let question = try question(q, owner: owner, kind: kind)
        var ids: [String] = []
        var position: SearchStore.Position?
        repeat {
            let page = try await store.hits(question, after: position, limit: limit)
            ids += page.map(\.hit.id)
            position = page.count == limit ? page.last : nil
        } while position != nil
        return ids
    }

    func count(_ sql: SQL) async throws -> Int { try await database.read { tx in try tx.row(sql)?.get("n") ?? -1 } }

    /// Whether the engine's own index contains the word for any document.
    func knows(_ word: String, owner: String) async throws -> Bool {
        let query = TokenQuery([[TokenPhrase([OwnerPartition(owner: owner).word(word, on: 0)])]])
        return try await database.read { tx in
            // Search all document numbers that the SQLite index can contain.
            let condition = tx.tokenSearch.matches("d", in: SearchIndex.words, query, limit: 1)
            let rows: SQL =
                tx.tokenSearch is SQLiteTokenSearch
                ? "WITH RECURSIVE d(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM d WHERE number < 100) SELECT number FROM d"
                : "SELECT number FROM search_document AS d"
            return try !tx.rows("\(sql: rows) WHERE \(sql: condition)").isEmpty
        }
    }

    /// The number of documents in the engine's own index.
    func indexed(_ engine: Engine) async throws -> Int {
        try await count(
            engine == .sqlite
                ? "SELECT COUNT(*) AS n FROM search_word" : "SELECT COUNT(*) AS n FROM search_document WHERE lexemes IS NOT NULL")
    }
}
