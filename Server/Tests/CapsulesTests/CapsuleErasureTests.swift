import Core
import Database
import KeepsakeWire
import TestKit
import Testing

@testable import Capsules
@testable import FeatureTestKit
@testable import keepsake

@Suite("Erasure of capsules")
struct CapsuleErasureTests {
    @Test("an account's capsules are erased in steps of at most 2 MB; one with segments is a step by itself", arguments: Engine.allCases)
    func steps(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let rows: [(owner: String, status: CapsuleStatus, rowBytes: Int64)] = [
                (ada.id, .completed, 900_000), (ada.id, .completed, 900_000), (ada.id, .completed, 900_000), (ada.id, .failed, 10),
                (ada.id, .transcribing, 10), (ada.id, .uploading, 10), (ada.id, .processing, 10), (eve.id, .completed, 10),
            ]
            try await server.backend.database.write { tx in
                for (number, row) in rows.enumerated() {
                    let time = Timestamp(seconds: 1_780_315_200 + Int64(number))
                    var capsule = StoredCapsule(id: "c\(number)", owner: row.owner, duration: 1, byteCount: 1, createdAt: time, now: time)
                    (capsule.status, capsule.sha256) = (row.status, "0")
                    if row.status == .completed { capsule.engine = "test" }
                    try tx.send(StoredCapsule.table.insert(capsule, with: ["row_bytes": row.rowBytes]))
                }
                try tx.send("INSERT INTO capsule_transcript (capsule, owner, text, words) VALUES ('c0', \(ada.id), 'sea', '[]')")
                try tx.send(
                    """
                    INSERT INTO capsule_segment (capsule, starts_ms, ends_ms, owner, engine, text, words)
                    VALUES ('c3', 0, 1, \(ada.id), 'test', 'sea', '[]')
                    """)
            }
            let store = server.backend.features[CapsulesFeature.self].store
            var steps: [Int] = []
            repeat {
                steps.append(try await store.database.write { tx in try store.eraseSome(of: ada.id, limit: 100, tx) })
            } while steps.last != 0
            #expect(steps == [2, 1, 1, 1, 2, 0])
            for (table, count) in [("capsule", 1), ("capsule_transcript", 0), ("capsule_segment", 0)] as [(SQL, Int)] {
                let rows = try await store.database.read { tx in try tx.rows("SELECT owner FROM \(sql: table)").count }
                #expect(rows == count)
            }
        }
    }
}
