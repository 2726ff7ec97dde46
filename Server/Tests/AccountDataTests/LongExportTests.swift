import Core
import Database
import Foundation
import TestKit
import TestThreads
import Testing

@testable import AccountData
@testable import FeatureTestKit
@testable import keepsake

@Suite("Exports of long rows", .blocksThreads)
struct LongExportTests {
    private static let noon = Timestamp(seconds: 1_780_315_200)
    /// The length of each capture's text in characters, in order.
    private static let lengths = Array(repeating: 100_000, count: 20) + Array(repeating: 100, count: 100)

    private static func fill(_ owner: String, _ server: TestServer) async throws {
        try await server.backend.database.write { tx in
            for (number, length) in lengths.enumerated() {
                try tx.send(
                    """
                    INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, transcription, version, created_at, row_bytes)
                    VALUES (\(owner), \("c\(1_000 + number)"), \(noon), 'UTC', '2026-06-01', 12, \(noon), 'processed',
                        \(String(repeating: "x", count: length)), 1, \(noon), 1)
                    """)
            }
        }
    }

    private static func ids(_ json: Data) throws -> [String] {
        let rows = try #require(JSONSerialization.jsonObject(with: json) as? [[String: Any]])
        return rows.compactMap { $0["id"] as? String }
    }

    @Test("a page ends at 64 KB and has at least one row, and few rows are read that it does not have", arguments: StoragePair.allCases)
    func pages(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            try await Self.fill(ada.id, server)
            let table = try #require(Backend.personalTables.first { $0.name == "capture" })
            let database = RecordingDatabase(server.backend.database)
            let reader = PersonalReader(database: database, features: [], tables: [table])
            let work = FairWork(.init(permits: 1, permitsPerKey: 1, waiting: 1, waitingPerKey: 1))
            var texts: [String] = []
            var place: PersonalReader.Place? = .first
            while let from = place, texts.count < 200 {
                let page = try await reader.rows(table, of: ada.id, from: from, isFirst: texts.isEmpty, work)
                texts.append(page.text)
                place = page.next
            }
            #expect(texts.prefix(20).allSatisfy { 100_000..<101_000 ~= $0.utf8.count })
            #expect(texts.dropFirst(20).allSatisfy { $0.utf8.count <= 65_536 })
            let ids = try Self.ids(Data(("[" + texts.joined() + "]").utf8))
            #expect(ids == Self.lengths.indices.map { "c\(1_000 + $0)" })
            // The server reads the long rows in statements of one row and of two rows, alternately. The second of two rows does not fit, so
            // the next statement reads it again.
            var expected: [Int64] = [8]
            for number in 2...20 { expected.append(number.isMultiple(of: 2) ? 1 : 2) }
            expected += [2, 4, 8, 16, 32, 50]
            let limits: [SQLValue] = database.statements().compactMap { $0.values.last }
            #expect(limits == expected.map { SQLValue.integer($0) })
        }
    }

    @Test("the archive has all rows, long and short ones", arguments: StoragePair.allCases)
    func whole(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            try await Self.fill(ada.id, server)
            let archive = try Unpacked(try await server.send("GET", "/auth/export", as: ada).body)
            let rows = try archive.rows("capture")
            #expect(rows.compactMap { $0["id"] as? String } == Self.lengths.indices.map { "c\(1_000 + $0)" })
            #expect(rows.compactMap { ($0["transcription"] as? String)?.utf8.count } == Self.lengths)
        }
    }

    @Test("an export reads the database on behalf of its account, as other requests do")
    func requester() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let ada = try await server.person()
            try await Self.fill(ada.id, server)
            let count = record.all.count
            #expect(try await server.send("GET", "/auth/export", as: ada).status == 200)
            let reads = record.all.dropFirst(count).filter { $0.requester.account == ada.id && $0.text.contains("FROM capture") }
            #expect(!reads.isEmpty)
        }
    }
}
