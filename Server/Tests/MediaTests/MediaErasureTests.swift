import Blobs
import Core
import Database
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("Erasure of files")
struct MediaErasureTests {
    @Test("an account's files are erased in steps of at most 2 MB of counted bytes of their rows", arguments: Engine.allCases)
    func steps(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            // A row whose bytes are not counted yet is erased in a step of its own.
            let rowBytes: [Int64?] = [900_000, 900_000, 900_000, nil, 10, 10]
            let blob = BlobKey(entropy: .system)
            try await server.backend.database.write { tx in
                // Otherwise the server might count that row during the test.
                try tx.run("UPDATE row_pass SET is_done = 1")
                try tx.run(
                    """
                    INSERT INTO blob (key, owner, sha256, byte_count, refs, state, created_at)
                    VALUES (\(blob), \(ada.id), \(String(repeating: "0", count: 64)), 1, \(rowBytes.count), 'live', 1)
                    """)
                for (number, count) in rowBytes.enumerated() {
                    let asset = Asset(
                        id: "f\(number)", owner: ada.id, blob: blob, name: "x", type: "image/jpeg", sha256: "x", byteCount: 1,
                        category: "general", description: "x", tags: [], groupID: "g",
                        createdAt: Timestamp(seconds: 1_780_315_200 + Int64(number)))
                    try tx.run(Asset.table.insert(asset, with: ["row_bytes": count]))
                }
            }
            let media = server.backend.media
            var steps: [Int] = []
            repeat {
                steps.append(try await server.backend.database.write { tx in try media.erase(ada.id, limit: 100, tx) })
            } while steps.last != 0
            #expect(steps == [2, 1, 1, 2, 0])
            let (files, state) = try await server.backend.database.read { tx in
                (
                    try tx.rows("SELECT id FROM media").count,
                    try tx.row("SELECT state FROM blob WHERE key = \(blob)")?.get("state", as: String.self)
                )
            }
            #expect(files == 0 && state == "dead")
        }
    }
}
