import Blobs
import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("Lists of files with long texts")
struct LongMediaListTests {
    /// Inserts files whose texts take 32 KB, nearly as much as the rules allow.
    private static func fill(_ owner: String, _ count: Int, _ server: TestServer) async throws {
        let description = String(repeating: "🌊", count: 5_000)
        let tags = Array(repeating: String(repeating: "🌊", count: 60), count: 50)
        try await server.backend.database.write { tx in
            let blob = try BlobKey.insert(owner: owner, tx)
            for number in 0..<count {
                let asset = Asset(
                    id: "\(owner)-\(number)", owner: owner, blob: blob, name: "x", type: "image/jpeg", sha256: "x", byteCount: 1,
                    category: "general", description: description, tags: tags, groupID: "g",
                    createdAt: Timestamp(seconds: 1_780_315_200 + Int64(number)))
                try tx.run(Asset.table.insert(asset))
            }
        }
    }

    @Test(
        "a page ends at 2 MB, and its cursor continues after the last file shown, also when the list checks each row",
        arguments: Engine.allCases)
    func pages(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            try await Self.fill(ada.id, 120, server)
            let ids = (0..<120).reversed().map { "\(ada.id)-\($0)" }
            for query in ["?limit=100", "?limit=100&category=general&groupId=g&sort=takenAt"] {
                let pages = try await server.longPages(of: "multimedia\(query)", "files", as: ada) { $0["fileId"] as? String }
                #expect(pages.map(\.count) == [63, 57] && pages.flatMap { $0 } == ids, "\(query): \(pages.map(\.count))")
            }
            // The limit that a request sets still applies.
            let few = try await server.send("GET", server.moments(ada, "multimedia?limit=6"), as: ada).decode(MediaListResponse.self)
            #expect(few.files.map(\.fileId) == Array(ids.prefix(6)) && few.pagination.nextCursor != nil)
        }
    }
}
