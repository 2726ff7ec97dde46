import Core
import Database
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Search

/// Long searches are divided into short reads, so that other requests can use the thread between two reads. Another reason: while a read
/// holds its snapshot, SQLite's log cannot start again at its beginning.
@Suite("Reads of searches and questions")
struct ShortReadsTests {
    /// Makes three partitions of documents. The oldest one has a document with the word "seaside".
    private static func withPartitions(_ body: (SearchHome, CountedStatements, RecordingDatabase) async throws -> Void) async throws {
        try await SearchHome.run(.sqlite) { home in
            let count = 2 * Int(OwnerPartition.size) + 100
            try await home.put((0..<count).map { SearchHome.document("d\($0)", [$0 == 1 ? "seaside" : "n"]) })
            try await body(home, CountedStatements(home.database), RecordingDatabase(home.database))
        }
    }

    @Test("each step of a search is a read of its own; the first one also reads the extent of the entries")
    func steps() async throws {
        try await Self.withPartitions { home, counted, _ in
            // Other tests may slow a step.
            let work = FairWork(SearchFeature.limits(processors: 2))
            let store = SearchStore(database: counted, kinds: [], work: work, slowStep: .seconds(60))
            let hits = try await store.hits(home.question("sea"), after: nil, limit: 20)
            #expect(hits.map(\.hit.id) == ["d1"] && counted.ofReads == [2, 1])
        }
    }

    @Test("for a question, a statement reads one partition of the words that begin with a stem, and sixteen of whole words")
    func prefixes() async throws {
        try await Self.withPartitions { _, counted, recorded in
            let (stem, word) = ([TokenPhrase(["sea"], isPrefix: true)], [TokenPhrase(["seaside"])])
            let found = try await EntryFinder().find([stem, word], owner: "ada", kind: nil, in: counted)
            #expect(found.counts == [1, 1] && counted.ofReads == [1, 1, 1, 1, 1])
            _ = try await EntryFinder().find([stem], owner: "ada", kind: nil, in: recorded)
            let partitions = (0...2 as ClosedRange<Int64>).reversed()
            let statements = try await recorded.base.read { tx in
                partitions.map { EntryFinder.search(stem, owner: "ada", kind: nil, $0...$0, tx.tokenSearch).values }
            }
            #expect(recorded.statements().dropFirst().map(\.values) == statements)
        }
    }
}
