import Core
import Database
import TestKit
import TestThreads
import Testing

@testable import Search

@Suite("The word index", .blocksThreads)
struct SearchIndexTests {
    @Test("all words must occur, in any text and order; the last may be a prefix", arguments: Engine.allCases)
    func words(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put("both", "The Sea", "under the sun")
            try await home.put("sea", "seaside")
            try await home.put("sun", "Sunday", "überraschung")
            for (q, expected) in [
                ("sea sun", ["both"]), ("SUN sea", ["both"]), ("sea", ["both", "sea"]),
                ("sea ", ["both", "sea"]),
                ("\"sea\"", ["both"]), ("sun", ["both", "sun"]), ("sun day", []), ("ÜBERRASCH", ["sun"]), ("uber", ["sun"]), ("ea", []),
                ("moon", []), ("sea moon", []), ("undersun", []),
            ] { #expect(Set(try await home.find(q)) == Set(expected), "\(q)") }
        }
    }

    @Test("a German umlaut is found by two vowels, and two vowels by an umlaut", arguments: Engine.allCases)
    func umlauts(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put("umlaut", "München", "ein schöner Tag")
            try await home.put("vowels", "Muenchen", "ein schoener Tag")
            try await home.put("plain", "Munchen")
            try await home.put("other", "to the quiet room")
            for (q, expected) in [
                ("München", ["umlaut", "vowels", "plain"]), ("MUENCHEN", ["umlaut", "vowels", "plain"]), ("munchen", ["umlaut", "plain"]),
                ("muench", ["umlaut", "vowels", "plain"]), ("\"Muenchen\"", ["umlaut", "vowels", "plain"]),
                ("\"schoener tag\"", ["umlaut", "vowels"]), ("Mu\u{308}nchen schöner", ["umlaut", "vowels"]),
                // Two vowels of a short word are not read as an umlaut, and neither is a `u` after a `q`.
                ("toe", []), ("quet", []), ("queit", []),
            ] { #expect(Set(try await home.find(q)) == Set(expected), "\(q)") }
        }
    }

    @Test("a phrase must occur in one text, in order", arguments: Engine.allCases)
    func phrases(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put("yes", "old", "the old house by the sea")
            try await home.put("swapped", "house old")
            try await home.put("apart", "the old red house")
            try await home.put("across", "the old", "house")
            #expect(try await home.find("\"old house\"") == ["yes"])
            #expect(Set(try await home.find("old house")) == ["yes", "swapped", "apart", "across"])
            #expect(try await home.find("old-hou") == ["yes"])
            #expect(try await home.find("\"old hou\"") == [])
        }
    }

    @Test("Chinese, Japanese and Thai are found by adjacent characters, emoji by themselves", arguments: Engine.allCases)
    func scripts(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put("tokyo", "今日は東京都へ行った")
            try await home.put("kyoto", "京都と東京")
            try await home.put("thai", "ไปทะเลกับเพื่อน")
            try await home.put("wave", "ocean 🌊👍🏿")
            for (q, expected) in [
                ("東京", ["tokyo", "kyoto"]), ("東京都", ["tokyo"]), ("京都", ["tokyo", "kyoto"]), ("京", ["tokyo", "kyoto"]), ("た", ["tokyo"]),
                ("行った", ["tokyo"]), ("大阪", []), ("東京 京都と", ["kyoto"]), ("ทะเล", ["thai"]), ("🌊", ["wave"]), ("👍", ["wave"]),
                ("👍🏽", ["wave"]), ("👎", []), ("🌊👍", ["wave"]), ("👍🌊", []),
            ] { #expect(Set(try await home.find(q)) == Set(expected), "\(q)") }
        }
    }

    @Test("operators of an engine are searched as text or treated as separators", arguments: Engine.allCases)
    func operators(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put("sea", "sea")
            try await home.put("words", "sea AND sun OR NOT near title tokens rowid")
            for (q, expected) in [
                ("sea OR moon", []), ("sea NOT sun", ["words"]), ("moon OR sea", []), ("sea | moon", []), ("sea & sun", ["words"]),
                ("tokens:sea", []), ("-sun sea", ["words"]), ("!sun sea", ["words"]), ("se*", ["sea", "words"]), ("s*", []),
                ("NEAR(sea sun)", []),
                ("sea\" OR \"sun", ["words"]), ("sea\" OR \"moon", []), ("sea' | 'moon", []), ("sea:*", ["sea", "words"]),
                ("sea\\", ["sea", "words"]),
                ("^sun sea", ["words"]),
                ("') ; DROP TABLE search_word; --", []), ("{tokens} : sea", ["words"]),
            ] { #expect(Set(try await home.find(q)) == Set(expected), "\(q)") }
        }
    }

    @Test("a search returns the account's own documents and no others", arguments: Engine.allCases)
    func owners(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put("hers", "secret sea", owner: "eve")
            try await home.put("mine", "sea")
            // Documents of two owners are different documents even if they have the same id.
            try await home.put("same", "sea one")
            try await home.put("same", "sea two", owner: "eve")
            #expect(Set(try await home.find("sea")) == ["mine", "same"])
            #expect(try await home.find("secret") == [])
            #expect(try await home.find("two") == [])
            #expect(try await home.find("one", owner: "eve") == [])
            // This is a token of another account in the form in which the index stores it.
            let token = OwnerPartition(owner: "eve").word("secret", on: 0)
            #expect(try await home.find(token) == [])
            try await home.remove("hers")
            try await home.remove("same")
            #expect(Set(try await home.find("sea", owner: "eve")) == ["hers", "same"])
        }
    }

    @Test("two owners with equal keys in the index stay separate", arguments: Engine.allCases)
    func sharedKey(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put("hers", "sea", owner: "eve")
            // Simulate a collision: the token is right, but the owner is another one.
            let eve = SearchStore.Question(owner: "eve", terms: [TokenPhrase(["sea"])], kind: nil)
            let rows = try await home.database.read { tx in
                try ["ada", "eve"].map { owner in
                    try tx.rows(SearchStore.search(SearchStore.query(eve, 0...0), owner: owner, lastPlace: 10, tx.tokenSearch)).count
                }
            }
            #expect(rows == [0, 1])
        }
    }

    @Test("a kind filters the results", arguments: Engine.allCases)
    func kinds(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put("a", "sea", kind: "mood")
            try await home.put("b", "sea mood", kind: "file")
            try await home.put("a", "sea again", kind: "file")
            #expect(try await home.find("sea", kind: "mood") == ["a"])
            #expect(Set(try await home.find("sea", kind: "file")) == ["a", "b"])
            #expect(try await home.find("sea").count == 3)
            #expect(try await home.find("sea", kind: "event") == [])
        }
    }

    @Test("a changed document is found only by its new words, and a removed one not at all", arguments: Engine.allCases)
    func changes(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put("a", "sea")
            try await home.put("b", "sea")
            try await home.put("a", "mountain")
            #expect(try await home.find("sea") == ["b"])
            #expect(try await home.find("mountain") == ["a"])
            #expect(try await !home.knows("sea2", owner: "ada"))
            #expect(try await home.knows("sea", owner: "ada"))
            try await home.remove("b")
            #expect(try await home.find("sea") == [])
            #expect(try await !home.knows("sea", owner: "ada"))
            // Replace the document by one without words.
            try await home.put("a", "...", "")
            #expect(try await home.find("mountain") == [])
            #expect(try await home.count("SELECT COUNT(*) AS n FROM search_document") == 0)
            #expect(try await home.indexed(engine) == 0)
            // Add the document again, with a word that it had before.
            try await home.put("a", "mountain")
            try await home.put("a", "mountain")
            #expect(try await home.find("mountain") == ["a"])
        }
    }

    @Test("a write that is rolled back adds nothing to the index and removes nothing", arguments: Engine.allCases)
    func undone(_ engine: Engine) async throws {
        struct Refusal: Error {}
        try await SearchHome.run(engine) { home in
            try await home.put("kept", "sea")
            try await home.put("gone", "sea")
            // These writes run in the same group commit as other writes.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    group.addTask { try await home.put("n\(number)", "sky") }
                    group.addTask {
                        await #expect(throws: Refusal.self) {
                            try await home.database.write { tx in
                                try home.index.put(SearchHome.document("undone\(number)", ["sea", "sky undone"]), tx)
                                try home.index.put(SearchHome.document("kept", ["undone"]), tx)
                                try home.index.remove(kind: "note", id: "gone", owner: "ada", tx)
                                throw Refusal()
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(Set(try await home.find("sea")) == ["kept", "gone"])
            #expect(Set(try await home.find("sky")) == Set((0..<20).map { "n\($0)" }))
            #expect(try await home.find("undone") == [])
            #expect(try await !home.knows("undone", owner: "ada"))
        }
    }

    @Test("deleting an account deletes its words, also from the engine's own index", arguments: Engine.allCases)
    func deletedAccount(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put("a", "sea")
            try await home.put("b", "sea", owner: "eve")
            _ = try await home.database.write { tx in try tx.run("DELETE FROM account WHERE id = 'ada'") }
            try await home.join("ada")
            // A new document must not get words of the deleted documents before the sweep has removed them.
            try await home.put("new", "sky")
            #expect(try await home.find("sea") == [])
            while try await home.database.write({ tx in try home.index.sweep(tx) }) > 0 {}
            #expect(try await !home.knows("sea", owner: "ada"))
            #expect(try await home.knows("sea", owner: "eve"))
            #expect(try await home.find("sky") == ["new"])
            #expect(try await home.find("sea", owner: "eve") == ["b"])
            #expect(try await home.indexed(engine) == 2)
        }
    }

    @Test("an account's documents are erased with their words, a limited number and length in a step", arguments: Engine.allCases)
    func erased(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put((0..<4).map { SearchHome.document("long\($0)", ["sea"], kind: "a") })
            try await home.put((0..<18).map { SearchHome.document("short\($0)", ["sea"], kind: "b") })
            try await home.put("hers", "sea", owner: "eve")
            // Two texts of this length fill a step; the short ones follow in later steps.
            let tokens = String(repeating: "a", count: 65_000)
            try await home.database.write { tx in try tx.run("UPDATE search_document SET tokens = \(tokens) WHERE kind = 'a'") }
            var steps: [Int] = []
            repeat {
                steps.append(try await home.database.write { tx in try home.index.erase("ada", limit: 100, tx) })
            } while steps.last != 0
            #expect(steps == [2, 16, 4, 0])
            #expect(try await !home.knows("sea", owner: "ada"))
            #expect(try await home.knows("sea", owner: "eve"))
            #expect(try await home.indexed(engine) == 1)
        }
    }

    @Test("words of documents that were deleted with an account's row are removed eight documents at a time", arguments: Engine.allCases)
    func swept(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put((0..<20).map { SearchHome.document("d\($0)", ["sea"]) })
            _ = try await home.database.write { tx in try tx.run("DELETE FROM account WHERE id = 'ada'") }
            var steps = 0
            while try await home.database.write({ tx in try home.index.sweep(tx) }) > 0 { steps += 1 }
            // PostgreSQL removes the words together with the rows.
            #expect(steps == (engine == .sqlite ? 3 : 0))
            #expect(try await home.indexed(engine) == 0)
        }
    }

    @Test("a document of the largest size is indexed and found", arguments: Engine.allCases)
    func largest(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            // All words are long and different, so that the engines store as much as they can for one document.
            let words = (0..<900).map { String(repeating: "語", count: 3) + String(repeating: "я", count: 60) + "\($0)" }
            try await home.put("wide", words.joined(separator: " "))
            try await home.put("long", (0..<8_192).map { "w\($0)" }.joined(separator: " "), at: 1)
            try await home.put("same", String(repeating: "again ", count: 8_192) + "never")
            #expect(try await home.find("w8191") == ["long"])
            #expect(try await home.find("\"w8190 w8191\"") == ["long"])
            #expect(try await home.find("w8192") == [])
            #expect(try await home.find("again") == ["same"])
            #expect(try await home.find("never") == [])
            #expect(try await home.find("語") == ["wide"])
        }
    }

    @Test("the longest query, over the most partitions that one statement takes, is answered", arguments: Engine.allCases)
    func longestQuestion(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            let words = (10..<95).map(String.init).joined(separator: " ")
            try await home.put("all", words)
            try await home.put("most", String(words.dropLast(3)))
            let run = String((0..<256).map { Character(Unicode.Scalar(0x4E00 + $0)!) })
            try await home.put("run", run)
            for (q, id) in [(words, "all"), (run, "run"), ("\"" + words.dropLast(3) + "\"", "all")] {
                let question = try home.question(q)
                let ids = try await home.database.read { tx in
                    try tx.rows(SearchStore.search(question, 0...15, lastPlace: 9, tx.tokenSearch)).map {
                        try $0.get("id", as: String.self)
                    }
                }
                #expect(ids.contains(id) && ids.count <= 2, "\(q)")
            }
        }
    }

    @Test("an entry that holds the first sixteen words of a query is found, whatever words follow", arguments: Engine.allCases)
    func wordsBeyondLimit(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            let words = (10..<26).map(String.init)
            try await home.put("all", words.joined(separator: " "))
            try await home.put("most", words.dropLast().joined(separator: " "))
            #expect(try await home.find((words + ["sea", "sun"]).joined(separator: " ")) == ["all"])
            #expect(try await home.find((Array(words.dropLast()) + ["sea", "sun"]).joined(separator: " ")) == [])
        }
    }

    @Test("no query causes an engine error, and both engines return the same results", arguments: 0..<8)
    func hostile(_ seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let questions = (0..<60).map { _ -> String in
            let length = Int.random(in: 1...60, using: &random)
            if Bool.random(using: &random) {
                return String(decoding: (0..<length).map { _ in UInt8.random(in: 1...255, using: &random) }, as: UTF8.self)
            }
            let signs = Array("\"'\\*:&|!()<->^{}+-%_;, abAB é東京🌊NEAR AND OR NOT")
            return String((0..<length).map { _ in signs.randomElement(using: &random)! })
        }
        let documents = questions.enumerated().map { SearchHome.document("d\($0.offset)", [$0.element]) }
        var found: [[[String]]] = []
        for engine in Engine.allCases {
            found.append(
                try await SearchHome.run(engine) { home in
                    try await home.put(documents)
                    var all: [[String]] = []
                    for question in questions where (try? SearchRules.terms(question)) != nil { all.append(try await home.find(question)) }
                    return all
                })
        }
        #expect(found[0] == found[1] && found[0].contains { !$0.isEmpty })
    }
}
