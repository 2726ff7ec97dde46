import Core
import Database
import TestKit
import Testing

@testable import Search

@Suite("The order of search results")
struct SearchRankingTests {
    @Test("earlier texts, whole words, repeats and short documents rank higher, and of equals the newest", arguments: Engine.allCases)
    func ranking(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put("note", "a day", "sea", at: 9)
            try await home.put("title", "sea", "a day", at: 1)
            try await home.put("newer", "sea", "a day", at: 2)
            try await home.put("beginning", "seaside", "a day", at: 8)
            try await home.put("twice", "sea sea", "a day", at: 0)
            try await home.put("third", "a", "day", "sea", at: 9)
            try await home.put("long", "sea", String(repeating: "day ", count: 200), at: 9)
            #expect(
                try await home.find("sea") == ["twice", "newer", "title", "note", "beginning", "long", "third"])
            #expect(try await home.find("sea day").last != "twice")
        }
    }

    @Test("a word that occurs only late in a long text counts, but least", arguments: Engine.allCases)
    func late(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put("late", String(repeating: "word ", count: 2_000) + "sea", at: 9)
            try await home.put("early", "a", "b", "c", "sea")
            #expect(try await home.find("sea") == ["early", "late"])
        }
    }

    /// For random documents and queries, both engines return the documents that a full scan finds, in the same order, in pages of any size.
    @Test("both engines return the same pages, which equal the result of a full scan", arguments: 0..<4)
    func property(_ seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let vocabulary = ["sea", "seaside", "sun", "Sündig", "day", "Café", "cafeteria", "東京", "東京都", "京", "🌊", "x1", "x2", "the", "old"]
        func text() -> String {
            (0..<Int.random(in: 0...7, using: &random)).map { _ in vocabulary.randomElement(using: &random)! }.joined(separator: " ")
        }
        enum Step {
            case put(SearchDocument)
            case remove(String, owner: String, kind: String)
        }
        var kept: [String: SearchDocument] = [:]
        var steps: [Step] = []
        for _ in 0..<160 {
            let id = "d\(Int.random(in: 0..<60, using: &random))"
            let owner = Int.random(in: 0..<4, using: &random) == 0 ? "eve" : "ada"
            let kind = Bool.random(using: &random) ? "mood" : "file"
            if Int.random(in: 0..<6, using: &random) == 0 {
                steps.append(.remove(id, owner: owner, kind: kind))
                kept[owner + kind + id] = nil
            } else {
                let document = SearchHome.document(
                    id, [text(), text(), text()], owner: owner, kind: kind, at: Int64.random(in: 0..<5, using: &random))
                steps.append(.put(document))
                kept[owner + kind + id] = document
            }
        }
        var questions: [(q: String, kind: String?, limit: Int)] = []
        for _ in 0..<25 {
            var q = (0..<Int.random(in: 1...3, using: &random)).map { _ in vocabulary.randomElement(using: &random)! }.joined(
                separator: " ")
            if Int.random(in: 0..<4, using: &random) == 0 { q = "\"\(q)\"" }
            if Bool.random(using: &random) { q = String(q.dropLast()) }
            guard (try? SearchRules.terms(q)) != nil else { continue }
            questions.append((q, [nil, "mood", "file"].randomElement(using: &random)!, Int.random(in: 1...9, using: &random)))
        }
        let expected = try questions.map { question in
            try Self.read(kept.values.filter { $0.owner == "ada" }, SearchRules.terms(question.q), question.kind)
        }
        #expect(expected.contains { $0.count > 3 })
        for engine in Engine.allCases {
            let planned = steps
            try await SearchHome.run(engine) { home in
                for step in planned {
                    switch step {
                    case .put(let document): try await home.put([document])
                    case .remove(let id, let owner, let kind): try await home.remove(id, owner: owner, kind: kind)
                    }
                }
                for (question, expected) in zip(questions, expected) {
                    let found = try await home.find(question.q, kind: question.kind, limit: question.limit)
                    #expect(found == expected, "\(engine) \(question)")
                }
            }
        }
    }

    /// The expected result, which comes from reading every document.
    private static func read(_ documents: [SearchDocument], _ terms: [TokenPhrase], _ kind: String?) -> [String] {
        let ranking = SearchRanking(terms)
        let hits = documents.filter { kind == nil || $0.kind == kind }.compactMap { document -> SearchHit? in
            let texts = document.texts.map { SearchText($0.text).tokens.map(\.text) }
            let holdsAll = terms.allSatisfy { term in
                texts.contains { tokens in
                    tokens.indices.contains { start in
                        term.tokens.indices.allSatisfy { offset in
                            guard start + offset < tokens.count else { return false }
                            let (here, wanted) = (tokens[start + offset], term.tokens[offset])
                            return here == wanted || term.isPrefix && offset == term.tokens.count - 1 && here.hasPrefix(wanted)
                        }
                    }
                }
            }
            guard holdsAll else { return nil }
            return SearchHit(
                score: ranking.score(SearchWords(document.texts).tokensColumn), at: document.at, id: document.id, kind: document.kind)
        }
        return hits.sorted { $0.precedes($1) }.map(\.id)
    }

    @Test(
        "however many documents contain a word, pages return each once, and a search reads a window instead of all documents",
        arguments: Engine.allCases
    )
    func windows(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            let count = 6_000
            try await home.put(
                (0..<count).map { SearchHome.document("d\($0)", ["all", $0 == 5 ? "rare" : "n\($0 % 7)"], at: Int64($0 % 100)) })
            let first = try await home.store.hits(home.question("all"), after: nil, limit: 100)
            let found = try await home.find("all", limit: 700)
            #expect(found.count == count && Set(found).count == count)
            #expect(Array(found.prefix(100)) == first.map(\.hit.id))
            // The two newest partitions, with 1,904 and 2,048 documents, are ranked together. The documents of the oldest partition follow
            // after them.
            #expect(Set(found.prefix(3_952)) == Set((2_048..<count).map { "d\($0)" }))
            #expect(first.map(\.hit.at) == first.map(\.hit.at).sorted(by: >) && first[0].hit.at == Timestamp(seconds: 99))
            #expect(try await home.find("all rare") == ["d5"])
            // A newer document does not change the following pages.
            try await home.put("later", "all all all", at: 1_000)
            let next = try await home.store.hits(home.question("all"), after: first.last, limit: 100)
            #expect(next.map(\.hit.id) == Array(found[100..<200]))
            let anew = try await home.store.hits(home.question("all"), after: nil, limit: 1)
            #expect(anew.map(\.hit.id) == ["later"])
        }
    }

    @Test("a search reads as many partitions at once as fill a window, and at most sixteen")
    func steps() {
        #expect(SearchStore.nextStep(after: 1, read: 1, found: 0) == 4)
        #expect(SearchStore.nextStep(after: 4, read: 5, found: 0) == 16)
        #expect(SearchStore.nextStep(after: 16, read: 21, found: 3) == 16)
        #expect(SearchStore.nextStep(after: 1, read: 1, found: 1_000) == 1)
        #expect(SearchStore.nextStep(after: 1, read: 1, found: 700) == 1)
        #expect(SearchStore.nextStep(after: 1, read: 1, found: 500) == 3)
        #expect(SearchStore.nextStep(after: 4, read: 5, found: 5_000) == 1)
    }
}
