import Core
import Database
import TestKit
import TestThreads
import Testing

@testable import Search

/// An engine reads all words of a partition that begin with a prefix, so a partition must not hold too many words.
@Suite("Places of documents in partitions", .blocksThreads)
struct PlaceTests {
    private static func words(_ count: Int) -> String { (0..<count).map { "w\($0)" }.joined(separator: " ") }

    private static func places(_ home: SearchHome) async throws -> [String: Int64] {
        try await home.database.read { tx in
            let rows = try tx.rows("SELECT id, place FROM search_document WHERE owner = 'ada'")
            return try rows.reduce(into: [:]) { places, row in places[try row.get("id")] = try row.get("place", as: Int64.self) }
        }
    }

    @Test("a document takes a place for each 256 words; one that becomes longer takes new places", arguments: Engine.allCases)
    func places(_ engine: Engine) async throws {
        try await SearchHome.run(engine) { home in
            try await home.put("first", "sea")
            try await home.put("long", Self.words(4_000))
            try await home.put("last", "sun")
            #expect(try await Self.places(home) == ["first": 0, "long": 16, "last": 17])
            // A short document that becomes long must not stay among 2,047 others.
            try await home.put("first", Self.words(257))
            try await home.put("long", Self.words(3_999))
            try await home.put("last", "moon")
            #expect(try await Self.places(home) == ["first": 19, "long": 16, "last": 17])
            #expect(try await home.find("w3998") == ["long"])
            #expect(Set(try await home.find("w256")) == ["first", "long"])
            #expect(try await home.find("sea") == [])
            // More words need more places even if they have fewer letters.
            let longWords = (0..<250).map { "\($0)" + String(repeating: "a", count: 100) }.joined(separator: " ")
            try await home.put("first", longWords, "sea")
            try await home.put("long", longWords)
            #expect(try await Self.places(home) == ["first": 19, "long": 16, "last": 17])
            try await home.put("last", longWords)
            try await home.put("last", "sun", Self.words(4_000))
            #expect(try await Self.places(home) == ["first": 19, "long": 16, "last": 35])
        }
    }

    @Test("as many long documents as one partition holds places for are in several partitions")
    func partitions() async throws {
        try await SearchHome.run(.sqlite) { home in
            let long = Self.words(8_000)
            try await home.put((0..<130).map { SearchHome.document("d\($0)", [long]) })
            let places = try await Self.places(home).values
            let counts = Dictionary(grouping: places, by: OwnerPartition.partition).mapValues(\.count)
            #expect(counts.count == 3 && counts.values.allSatisfy { $0 <= 64 })
            let found = try await home.store.hits(home.question("w1"), after: nil, limit: 200)
            #expect(found.count == 130)
        }
    }

    @Test("after a slow step, a search reads a quarter of the partitions; otherwise up to four times as many")
    func steps() {
        #expect(SearchStore.nextStep(after: 4, read: 5, found: 0) == 16)
        #expect(SearchStore.nextStep(after: 16, read: 21, found: 0, isSlow: true) == 4)
        #expect(SearchStore.nextStep(after: 1, read: 1, found: 0, isSlow: true) == 1)
    }
}
