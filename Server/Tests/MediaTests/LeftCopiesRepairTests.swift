import Blobs
import Core
import Database
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Media
@testable import keepsake

@Suite("The repair of copies whose file was deleted")
struct LeftCopiesRepairTests {
    @Test("copies of bytes that no file has are removed, and their blobs can be deleted; other copies stay", arguments: Engine.allCases)
    func repair(_ engine: Engine) async throws {
        let stores = try TestStores(engine)
        let database = try await stores.open()
        let all = Backend.migrations
        let repair = "media/018-left-copies"
        try #require(all.contains { $0.name == repair })
        try await database.migrate(all.filter { $0.name != repair })
        let (picture, copy) = (BlobKey(entropy: .system), BlobKey(entropy: .system))
        let (copyOfCopy, ownCopy) = (BlobKey(entropy: .system), BlobKey(entropy: .system))
        try await database.write { tx in
            let hash = String(repeating: "0", count: 64)
            try tx.run("INSERT INTO account (id, created_at) VALUES ('bob', 1)")
            for key in [picture, copy, copyOfCopy, ownCopy] {
                try tx.run(
                    """
                    INSERT INTO blob (key, owner, sha256, byte_count, refs, state, created_at)
                    VALUES (\(key), 'bob', \(hash), 1, 1, 'live', 1)
                    """)
            }
            try tx.run(
                """
                INSERT INTO media (id, owner, blob, name, type, sha256, byte_count, category, tags, created_at, row_bytes)
                VALUES ('kept', 'bob', \(picture), 'x', 'image/png', \(hash), 1, 'general', '[]', 7, 10)
                """)
            // The last row is for a picture whose copy has the same bytes as the picture.
            for (parent, blob) in [(picture, copy), (copy, copyOfCopy), (ownCopy, ownCopy)] {
                try tx.run(
                    """
                    INSERT INTO media_variant (parent, spec, blob, type, sha256, byte_count, created_at)
                    VALUES (\(parent), 's', \(blob), 'image/webp', \(hash), 1, 7)
                    """)
            }
        }
        try await database.migrate(all)
        let (left, live) = try await database.read { tx in
            (
                try tx.rows("SELECT blob FROM media_variant").map { try $0.get("blob", as: BlobKey.self) },
                Set(try tx.rows("SELECT key FROM blob WHERE state = 'live' AND refs = 1").map { try $0.get("key", as: BlobKey.self) })
            )
        }
        #expect(left == [copy] && live == [picture, copy])
        #expect(try await database.run("DELETE FROM blob WHERE state = 'dead'") == 2)
        try await database.close()
        withExtendedLifetime(stores) {}
    }
}
