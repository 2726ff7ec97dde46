import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

@Suite("Captures that are forgotten", .blocksThreads)
struct ForgettingTests {
    private static let canary = "Zanzibartha"

    /// Makes captures with the canary in their words and files, and has their hour condensed.
    private func fill(_ server: TestServer, _ ada: TestServer.Person) async throws {
        let client = try CaptureClient(server, ada)
        var photo = try Fixture.data("photo.jpg")
        photo.append(Data(Self.canary.utf8))
        let form = MultipartBody.file("\(Self.canary).jpg", photo)
        let upload = try await server.send(
            "POST", "/upload/gone", as: ada, headers: [("Content-Type", form.contentType), ("Idempotency-Key", "k1")], body: form.data)
        try #require(upload.status == 200, "\(upload.text)")
        try client.take("gone", at: "2026-05-01T08:05:00Z", "Just met with \(Self.canary) at the lake.")
        try client.take("stays", at: "2026-05-01T08:06:00Z", "Just met with John at the lake.")
        _ = try await server.processed("gone", as: ada)
        _ = try await server.processed("stays", as: ada)
        try await eventually {
            server.clock.advance(by: .seconds(31))
            try await server.settle()
            return try await server.days(as: ada).first?.totalCaptures == 2
        }
    }

    @Test("no canary is left in rows, index, summaries, answers and files", arguments: StoragePair.allCases)
    func canaries(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            try await fill(server, ada)
            let before = try await server.tables(holding: Self.canary, pair.engine)
            #expect(before.isSuperset(of: ["capture", "capture_hour", "capture_day", "media", "search_document"]), "\(before)")
            #expect(try await server.send("DELETE", "/captures/gone", as: ada).status == 200)
            let after = try await server.tables(holding: Self.canary, pair.engine)
            #expect(after.subtracting(["search_forgotten"]) == [], "\(after)")
            #expect(try await server.tables(holding: Self.canary.lowercased(), pair.engine).subtracting(["search_forgotten"]) == [])
            #expect(try await server.send("GET", "/raw-media/\(ada.id)/memories/gone/photo.jpg", as: ada).status == 404)
            let hours = try await server.hours("2026-05-01", as: ada)
            #expect(hours.map(\.captureIds) == [["stays"]] && hours.first?.people == ["John"])
            #expect(try await server.contacts(as: ada).map(\.name) == ["John"])
            let live = try await server.backend.database.read { tx in
                try tx.row("SELECT COUNT(*) AS n FROM blob WHERE state = 'live'")?.get("n", as: Int64.self)
            }
            #expect(live == 0)
        }
    }

    @Test("control: when summaries are left as they are, the canary is still in them")
    func control() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            try await fill(server, ada)
            var store = server.backend.features[CapturesFeature.self].store
            store.forgetsInSummaries = false
            #expect(try await store.delete(["gone"], owner: ada.id) == 1)
            let left = try await server.tables(holding: Self.canary, .sqlite)
            #expect(left.isSuperset(of: ["capture_hour", "capture_day"]), "\(left)")
        }
    }

    @Test("a span of time is forgotten as a whole, and nothing outside it", arguments: Engine.allCases)
    func spans(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let (mine, hers) = (try CaptureClient(server, ada), try CaptureClient(server, eve))
            for day in 1...5 {
                for hour in [10, 20] {
                    try mine.take("d\(day)h\(hour)", at: "2026-05-0\(day)T\(hour):00:00Z", "Number \(day) with John.")
                    try hers.take("d\(day)h\(hour)", at: "2026-05-0\(day)T\(hour):00:00Z", "Hers.")
                }
            }
            let answer = try await server.send("DELETE", "/captures?from=2026-05-02&to=2026-05-04T15:00:00Z", as: ada)
            #expect(answer.text == #"{"deleted":5}"#)
            #expect(
                try await server.captures(as: ada).items.map(\.id) == ["d5h20", "d5h10", "d4h20", "d1h20", "d1h10"])
            #expect(try await server.captures(as: eve).items.count == 10)
            #expect(try await server.send("DELETE", "/captures", as: ada).status == 400)
            #expect(try await server.send("DELETE", "/captures?from=2026-05-01", as: ada).status == 400)
        }
    }

    @Test("a day's summary loses only the captures of that day, and one that was read before is not stored", arguments: Engine.allCases)
    func daysApart(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let client = try CaptureClient(server, ada)
            for id in ["a1", "a2", "a3"] { try client.take(id, at: "2026-05-01T08:05:00Z", "Number \(id) with John.") }
            for id in ["b1", "b2"] { try client.take(id, at: "2026-05-02T08:05:00Z", "Number \(id) with John.") }
            try await eventually {
                server.clock.advance(by: .seconds(31))
                try await server.settle()
                return try await server.days(as: ada).map(\.totalCaptures) == [2, 3]
            }
            let store = server.backend.features[CapturesFeature.self].store
            let owner = ada.id
            // This condensation reads everything before the deletion, but stores its result after it.
            let material = try #require(try await store.material(day: "2026-05-02", owner: owner, highlights: 5, in: CondensingWork()))
            try await store.database.write { tx in
                try tx.run("UPDATE capture_day SET content = NULL WHERE owner = \(owner) AND day = '2026-05-02'")
            }
            #expect(try await store.delete(["a1", "a2", "b1"], owner: owner) == 3)
            #expect(try await server.days(as: ada).first { $0.date == "2026-05-01" }?.totalCaptures == 1)
            let content = Condensing.content(material, in: .gmt)
            try await store.database.write { tx in
                try store.store(content, ofDay: "2026-05-02", zone: "UTC", changed: material.changed, owner: owner, tx)
            }
            // The second day has either no summary yet, or one without the deleted capture.
            let second = try await server.days(as: ada).first { $0.date == "2026-05-02" }
            #expect(second == nil || second?.totalCaptures == 1, "\(String(describing: second))")
        }
    }

    @Test("a capture that is sent again while it is being deleted does not come back", arguments: Engine.allCases)
    func sentAgain(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let time = "2026-05-01T08:05:00Z"
            try CaptureClient(server, ada).take("gone", at: time, "Just met with John.")
            _ = try await server.processed("gone", as: ada)
            try await server.settle()
            let store = server.backend.features[CapturesFeature.self].store
            let owner = ada.id
            let message = CaptureMessage(
                id: "gone", at: try #require(CaptureRules.time(time)), photoURL: nil, audioURL: nil, transcription: "Just met with John.")
            let deleted = DispatchSemaphore(value: 0)
            async let deletion: Void = store.database.write { tx in
                try tx.run("DELETE FROM capture WHERE owner = \(owner) AND id = 'gone'")
                try tx.run(
                    """
                    INSERT INTO capture_tombstone (hash, owner, expires_at)
                    VALUES (\(CaptureRules.tombstone("gone", of: owner)), \(owner), \(store.clock.now + CaptureRules.tombstoneLifetime))
                    """)
                deleted.signal()
                // The capture arrives in this time, before the deletion is committed.
                Thread.sleep(forTimeInterval: 0.5)
            }
            let arrived = await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: deleted.wait(timeout: .now() + 20)) }
            }
            #expect(arrived == .success)
            let again = NewCapture(owner: owner, id: "gone", message: message)
            if engine == .postgres {
                // A write of captures of several accounts does not wait for the deletion. The inbox then writes the capture alone.
                await #expect(throws: CaptureStore.OwnersApart.self) { _ = try await store.take([again]) }
            }
            let outcomes = try await store.take([again], exactly: engine == .postgres).outcomes
            try await deletion
            #expect(outcomes.map { $0?.code } == [.idInUse])
            #expect(try await server.send("GET", "/captures/gone", as: ada).status == 404)
        }
    }

    @Test("nothing is left when the account is deleted", arguments: StoragePair.allCases)
    func account(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            try await fill(server, ada)
            #expect(try await server.send("DELETE", "/captures/gone", as: ada).status == 200)
            let before = try await server.rowCounts(of: ada.id)
            for table in ["capture", "capture_tombstone", "contact", "contact_name", "contact_mention", "capture_hour", "capture_day"] {
                #expect(before[table] != nil, "\(table)")
            }
            #expect(try await server.send("POST", "/auth/delete", as: ada).status == 200)
            try await server.waitUntilErased(ada.id)
            #expect(try await server.rowCounts(of: ada.id) == [:])
        }
    }
}
