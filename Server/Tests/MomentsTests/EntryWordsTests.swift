import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

@Suite("Words of long entries")
struct EntryWordsTests {
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
            // The server rolls back the first write of the long text before it splits the text.
            #expect(try await writes(long) == ["UPDATE moment SET", "UPDATE moment SET", "INSERT INTO search_document"])
            let found = try await server.send("GET", server.moments(ada, "search?q=attic"), as: ada)
            #expect(found.status == 200 && found.text.contains(mood.id), "\(found.text)")
        }
    }
}
