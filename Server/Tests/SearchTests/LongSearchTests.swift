import Blobs
import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing
import Web

@testable import Capsules
@testable import Captures
@testable import FeatureTestKit
@testable import Media
@testable import Moments
@testable import Search
@testable import keepsake

@Suite("Searches that find long entries")
struct LongSearchTests {
    private static func time(_ number: Int) -> Timestamp { Timestamp(seconds: 1_780_315_200 + Int64(number)) }

    /// Inserts entries that contain the word "sea": a capture and a capsule of 240 KB each, a mood of 40 KB, a file of 20 KB, and so on.
    /// - Returns: the ids of the entries, the latest first.
    private static func fill(_ owner: String, _ count: Int, _ server: TestServer) async throws -> [String] {
        try await server.backend.database.write { tx in
            let blob = try BlobKey.insert(owner: owner, tx)
            for number in 0..<count {
                let (id, at) = ("\(owner)-\(number)", time(number))
                let kinds = ["capture", "capsule", "mood", "file"]
                switch kinds[number % 4] {
                case "capture": try addCapture(id, owner, at, tx)
                case "capsule": try addCapsule(id, owner, at, tx)
                case "mood": try addMood(id, owner, at, tx)
                default: try addFile(id, owner, at, blob, tx)
                }
                let document = SearchDocument(kind: kinds[number % 4], id: id, owner: owner, at: at, texts: [("note", "sea")])
                try SearchIndex().put(document, tx)
            }
        }
        return (0..<count).reversed().map { "\(owner)-\($0)" }
    }

    private static let text = String(repeating: "a", count: 240_000)

    private static func addCapture(_ id: String, _ owner: String, _ at: Timestamp, _ tx: WriteTransaction) throws {
        try tx.send(
            """
            INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, transcription, transcription_engine, version,
                created_at, row_bytes)
            VALUES (\(owner), \(id), \(at), 'UTC', '2026-06-01', 12, \(at), 'processed', \(text), 'client', 1, \(at),
                \(RowBytes.count(searchable: [text], tags: [])))
            """)
    }

    private static func addCapsule(_ id: String, _ owner: String, _ at: Timestamp, _ tx: WriteTransaction) throws {
        var capsule = StoredCapsule(id: id, owner: owner, duration: 1, byteCount: 1, createdAt: at, now: at)
        (capsule.status, capsule.sha256, capsule.engine) = (.completed, "0", "test")
        capsule.transcriptSize = Int64(text.utf8.count)
        try tx.send(StoredCapsule.table.insert(capsule, with: ["row_bytes": capsule.rowBytes(text: text, words: "[]")]))
        try tx.send("INSERT INTO capsule_transcript (capsule, owner, text, words) VALUES (\(id), \(owner), \(text), '[]')")
    }

    private static func addMood(_ id: String, _ owner: String, _ at: Timestamp, _ tx: WriteTransaction) throws {
        var mood = Moment(id: id, owner: owner, kind: .mood, createdAt: at, happenedAt: at, category: "general", groupID: nil, tags: [])
        mood.mood = "calm"
        mood.note = String(repeating: "🌊", count: MomentRules.noteLength)
        try tx.send(Moment.table.insert(mood, with: ["row_bytes": mood.rowBytes]))
    }

    private static func addFile(_ id: String, _ owner: String, _ at: Timestamp, _ blob: BlobKey, _ tx: WriteTransaction) throws {
        let asset = Asset(
            id: id, owner: owner, blob: blob, name: "x", type: "image/jpeg", sha256: "x", byteCount: 1, category: "general",
            description: String(repeating: "🌊", count: 5_000), tags: [], createdAt: at)
        try tx.run(Asset.table.insert(asset))
    }

    private static func id(_ item: [String: Any]) -> String? {
        let entry = (item["kind"] as? String).flatMap { item[$0] } as? [String: Any]
        return entry?["id"] as? String ?? entry?["fileId"] as? String
    }

    @Test("a page ends at 2 MB, and its cursor continues after the last entry shown", arguments: Engine.allCases)
    func pages(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let ids = try await Self.fill(ada.id, 48, server)
            let captures = ids.enumerated().filter { $0.offset % 4 == 3 }.map(\.element)
            // All entries together have 6.5 MB, the captures 2.9 MB.
            for (query, expected, count) in [("?q=sea&limit=100", ids, 4), ("?q=sea&limit=100&kind=capture", captures, 2)] {
                let pages = try await server.longPages(of: "search\(query)", "items", as: ada, id: Self.id)
                #expect(pages.count == count && pages.flatMap { $0 } == expected, "\(query): \(pages.map(\.count))")
            }
        }
    }

    @Test("long entries are read in the caller's turn, short pages at once")
    func turns() async throws {
        try await TestServer.run(.sqlite) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let ids = try await Self.fill(ada.id, 48, server)
            let store = server.backend.features[SearchFeature.self].store
            func page(_ owner: String, _ kind: String?, limit: Int) async throws -> (SearchStore.Found, SearchStore.Question) {
                let question = SearchStore.Question(owner: owner, terms: try SearchRules.terms("sea"), kind: kind)
                return (try await store.page(question, PageRequest(after: nil, limit: limit)), question)
            }
            let (long, question) = try await page(ada.id, nil, limit: 100)
            #expect(long.items == nil && 1_700_000...PageSize.byteCount ~= long.byteCount && long.page.next == long.page.rows.last)
            #expect(long.page.rows.map(\.hit.id) == Array(ids.prefix(long.page.rows.count)))
            #expect(try await store.items(of: long, question).count == long.page.rows.count)
            let (short, _) = try await page(ada.id, "file", limit: 2)
            #expect(short.items?.compactMap(\.item.file?.fileId) == [ids[0], ids[4]] && short.page.next != nil)
            let (none, _) = try await page(eve.id, nil, limit: 100)
            #expect(none.items == [] && none.page.next == nil)
        }
    }
}
