import Blobs
import Core
import Database
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("The repair of files whose bytes were deleted")
struct DeadBlobRepairTests {
    @Test("they are removed with their copies, from usage and from coves; other files stay", arguments: Engine.allCases)
    func repair(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        let database = try await stores.open()
        let all = Backend.migrations
        let repairs: Set<String> = ["media/017-dead-blobs", "coves/005-lost-covers"]
        try #require(repairs.isSubset(of: all.map(\.name)))
        try await database.migrate(all.filter { !repairs.contains($0.name) })
        try await database.write { tx in
            let hash = String(repeating: "0", count: 64)
            try tx.run("INSERT INTO account (id, created_at) VALUES ('bob', 1)")
            let blobs: [(key: BlobKey, isLive: Bool)] = (0..<3).map { (BlobKey(entropy: .system), $0 == 2) }
            for blob in blobs {
                let (refs, state, deadAt): (Int, String, Int64?) = blob.isLive ? (1, "live", nil) : (0, "dead", 5)
                try tx.run(
                    """
                    INSERT INTO blob (key, owner, sha256, byte_count, refs, state, dead_at, created_at)
                    VALUES (\(blob.key), 'zoe', \(hash), 1, \(refs), \(state), \(deadAt), 1)
                    """)
            }
            for (id, blob) in [("lost", blobs[0].key), ("kept", blobs[2].key)] {
                try tx.run(
                    """
                    INSERT INTO media (id, owner, blob, name, type, sha256, byte_count, category, tags, created_at, row_bytes)
                    VALUES (\(id), 'bob', \(blob), 'x', 'image/png', \(hash), 1, 'cover', '[]', 7, 10)
                    """)
                try tx.run(
                    """
                    INSERT INTO cove (id, name, location, cover, cover_owner, created_at)
                    VALUES (\("cove " + id), 'n', 'l', \(id), 'bob', 1)
                    """)
            }
            try tx.run(
                """
                INSERT INTO media_variant (parent, spec, blob, type, sha256, byte_count, created_at)
                VALUES (\(blobs[0].key), 's', \(blobs[1].key), 'image/webp', \(hash), 1, 7)
                """)
            try tx.run("INSERT INTO media_usage (account, byte_count, file_count, row_bytes) VALUES ('bob', 3, 2, 25)")
        }
        try await database.migrate(all)
        let found = try await database.read { tx in
            (
                media: try tx.rows("SELECT id FROM media").map { try $0.get("id", as: String.self) },
                covers: try tx.rows("SELECT cover FROM cove ORDER BY id").map { try $0.get("cover", as: String?.self) },
                usage: try tx.rows("SELECT byte_count, file_count, row_bytes FROM media_usage").map(\.values)
            )
        }
        #expect(found.media == ["kept"])
        #expect(found.covers == ["kept", nil])
        #expect(found.usage == [[.integer(2), .integer(1), .integer(15)]])
        // The garbage collector can delete the rows of the dead blobs.
        #expect(try await database.run("DELETE FROM blob WHERE state = 'dead'") == 2)
        try await database.close()
        withExtendedLifetime(stores) {}
    }
}
