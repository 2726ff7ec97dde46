import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Words of long entries")
struct EntryWordsTests {
    @Test("an entry changes the account's usage, which locks it on PostgreSQL, after indexing its words", arguments: StoragePair.allCases)
    func usageLast(_ pair: StoragePair) async throws {
        let record = StatementRecord()
        try await TestServer.run(pair, record: record) { server in
            let ada = try await server.person()
            /// The first statement that changes the usage, and the last one that indexes words.
            func order(_ write: () async throws -> Void) async throws -> (usage: Int, words: Int) {
                let start = record.all.count
                try await write()
                let texts = record.all[start...].map(\.text)
                let usage = texts.firstIndex { $0.hasPrefix("UPDATE media_usage SET byte_count") }
                let words = texts.lastIndex { $0.hasPrefix("INSERT INTO search_") || $0.hasPrefix("UPDATE search_document") }
                return (try #require(usage, "\(texts)"), try #require(words, "\(texts)"))
            }
            let mood = try await server.mood([("mood", "calm")], as: ada)
            let plain = try await order { _ = try await server.mood([("mood", "calm"), ("note", "rare words")], as: ada) }
            #expect(plain.words < plain.usage)
            let withFile = try await order {
                _ = try await server.mood([("mood", "calm"), ("note", "more words")], files: [.photo], as: ada)
            }
            #expect(withFile.words < withFile.usage)
            let change = try await order {
                let answer = try await server.sendJSON("PATCH", server.moments(ada, "moods/\(mood.id)"), ["note": "other words"], as: ada)
                #expect(answer.status == 200, "\(answer.text)")
            }
            #expect(change.words < change.usage)
        }
    }

    @Test("long texts of an entry are split between two writes, and short ones inside one")
    func update() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            let mood = try await server.mood([("mood", "calm")], as: ada)
            func writes(_ note: String) async throws -> [String] {
                let start = record.all.count
                let answer = try await server.sendJSON("PATCH", server.moments(ada, "moods/\(mood.id)"), ["note": note], as: ada)
                #expect(answer.status == 200, "\(answer.text)")
                return record.all[start...].map(\.text).compactMap { text in
                    ["UPDATE moment SET", "INSERT INTO search_document"].first { text.hasPrefix($0) }
                }
            }
            #expect(try await writes("At the lake.") == ["UPDATE moment SET", "INSERT INTO search_document"])
            let long = "attic " + String(repeating: "\u{5B57}", count: 5_400)
            // The first write is rolled back before it splits the text.
            #expect(try await writes(long) == ["UPDATE moment SET", "UPDATE moment SET", "INSERT INTO search_document"])
            let found = try await server.send("GET", server.moments(ada, "search?q=attic"), as: ada)
            #expect(found.status == 200 && found.text.contains(mood.id), "\(found.text)")
        }
    }
}
