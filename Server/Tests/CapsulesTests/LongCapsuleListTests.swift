import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Capsules
@testable import FeatureTestKit
@testable import keepsake

@Suite("Lists of capsules with long transcripts")
struct LongCapsuleListTests {
    /// Inserts completed capsules with transcripts of `length` characters.
    private static func fill(_ owner: String, _ count: Int, of length: Int, _ server: TestServer) async throws {
        let text = String(repeating: "a", count: length)
        try await server.backend.database.write { tx in
            for number in 0..<count {
                let time = Timestamp(seconds: 1_780_315_200 + Int64(number))
                var capsule = StoredCapsule(id: "\(owner)-\(number)", owner: owner, duration: 1, byteCount: 1, createdAt: time, now: time)
                (capsule.status, capsule.sha256, capsule.engine) = (.completed, "0", "test")
                capsule.transcriptSize = Int64(length + 2)
                try tx.send(StoredCapsule.table.insert(capsule, with: ["row_bytes": capsule.rowBytes(text: text, words: "[]")]))
                try tx.send(
                    "INSERT INTO capsule_transcript (capsule, owner, text, words) VALUES (\(capsule.id), \(owner), \(text), '[]')")
            }
        }
    }

    /// The capsules of each page, from the first page to the last.
    private static func pages(_ server: TestServer, _ person: TestServer.Person) async throws -> [[Capsule]] {
        var pages: [[Capsule]] = []
        var cursor: String?
        repeat {
            let path = "/v0/capsules?limit=100" + (cursor.map { "&cursor=\($0)" } ?? "")
            let answer = try await server.send("GET", path, as: person)
            try #require(answer.status == 200, "\(answer.text.prefix(200))")
            let list = try answer.decode(CapsuleList.self)
            pages.append(list.capsules)
            cursor = list.nextCursor
        } while cursor != nil && pages.count < 10
        return pages
    }

    @Test("a page ends at 2 MB, and its cursor continues after the last capsule shown", arguments: Engine.allCases)
    func pages(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            try await Self.fill(ada.id, 16, of: 240_000, server)
            let pages = try await Self.pages(server, ada)
            let ids = (0..<16).reversed().map { "\(ada.id)-\($0)" }
            #expect(pages.map { $0.map(\.id) } == [Array(ids[..<8]), Array(ids[8...])])
            #expect(pages.joined().allSatisfy { $0.transcription?.utf8.count == 240_000 })
        }
    }

    @Test("a capsule that is longer than a page is a page by itself", arguments: Engine.allCases)
    func longest(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            try await Self.fill(ada.id, 3, of: 2_200_000, server)
            #expect(try await Self.pages(server, ada).map(\.count) == [1, 1, 1])
        }
    }

    @Test("long transcripts are read in the caller's turn, short ones at once", arguments: Engine.allCases)
    func turns(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            try await Self.fill(ada.id, 40, of: 2_000, server)
            let store = server.backend.features[CapsulesFeature.self].store
            let long = try await store.page(owner: ada.id, PageRequest<TimeKey>(after: nil, limit: 40))
            #expect(long.capsules == nil && long.page.rows.count == 40 && long.page.next == nil)
            let read = try await store.wholes(long.page.rows)
            #expect(read.map(\.capsule) == long.page.rows && read.allSatisfy { $0.transcript?.text.utf8.count == 2_000 })
            let short = try await store.page(owner: ada.id, PageRequest<TimeKey>(after: nil, limit: 10))
            #expect(short.capsules?.map(\.capsule) == Array(long.page.rows.prefix(10)) && short.page.next != nil)
        }
    }
}
