import Core
import Database
import TestKit
import Testing

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

@Suite("Merging contacts with many captures")
struct ContactMergeTests {
    @Test("several writes give a contact's captures to another one, each once", arguments: Engine.allCases)
    func many(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let now = Timestamp(seconds: 1_780_000_000)
            try await server.backend.database.write { tx in
                for id in ["ben", "benjamin"] {
                    try tx.send(
                        """
                        INSERT INTO contact (id, owner, name, first_seen, last_seen, mention_count, by_user, row_bytes)
                        VALUES (\(id), \(ada.id), \(id), \(now), \(now), \(id == "ben" ? 1_200 : 100), 0, 1)
                        """)
                }
                for number in Int64(0)..<1_250 {
                    let (id, time) = ("c\(number)", now + .minutes(number))
                    try tx.send(
                        """
                        INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, version, created_at, row_bytes)
                        VALUES (\(ada.id), \(id), \(time), 'UTC', '2026-06-01', 12, \(now), 'processed', 1, \(now), 1)
                        """)
                    // Fifty captures mention both contacts.
                    for (contact, range) in [("ben", 0..<1_200), ("benjamin", 1_150..<1_250)] where range.contains(Int(number)) {
                        try tx.send(
                            "INSERT INTO contact_mention (owner, capture, contact, at) VALUES (\(ada.id), \(id), \(contact), \(time))")
                    }
                }
            }
            let store = server.backend.features[CapturesFeature.self].store
            let merged = try #require(try await store.merge("ben", into: "benjamin", owner: ada.id))
            #expect(merged.contact.mentionCount == 1_250 && merged.contact.firstSeen == now)
            let rows = try await server.backend.database.read { tx in
                try tx.rows("SELECT contact, COUNT(*) AS n FROM contact_mention WHERE owner = \(ada.id) GROUP BY contact")
                    .map { (try $0.get("contact", as: String.self), try $0.get("n", as: Int.self)) }
            }
            #expect(rows.count == 1 && rows.first?.0 == "benjamin" && rows.first?.1 == 1_250)
        }
    }
}
