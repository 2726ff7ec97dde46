import Core
import Database
import Foundation
import Intelligence
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

@Suite("Summaries of hours and days", .blocksThreads)
struct CondensationTests {
    /// 2026-06-01T12:00:00Z, when the test's clock starts.
    private static let noon = Timestamp(seconds: 1_780_315_200)

    /// Advances the clock in steps, and lets the jobs that are due run after each.
    private func pass(_ time: Duration, in steps: Int = 4, _ server: TestServer) async throws {
        for _ in 0..<steps {
            server.clock.advance(by: time / steps)
            try await server.settle()
        }
    }

    @Test("an hour is condensed when it ends, also an idle one, and the day with it; sentences are quoted", arguments: Engine.allCases)
    func hour(_ engine: Engine) async throws {
        // The test starts twenty minutes before the hour ends, because an access token is valid for only an hour.
        try await TestServer.run(engine, clock: TestClock(Self.noon + .minutes(40))) { server in
            let ada = try await server.person()
            let client = try CaptureClient(server, ada)
            try client.take("a", at: "2026-06-01T12:05:00Z", "Just met with John at the coffee shop.")
            try client.take("b", at: "2026-06-01T12:10:00Z", "Maria told me about her new dog.")
            _ = try await server.processed("a", as: ada)
            _ = try await server.processed("b", as: ada)
            try await server.settle()
            #expect(try await server.hours("2026-06-01", as: ada).isEmpty, "the hour has not ended")
            try await pass(.minutes(21), server)
            try await pass(.seconds(40), server)
            let hours = try await server.hours("2026-06-01", as: ada)
            try #require(hours.count == 1)
            #expect(hours[0].hour == 12 && hours[0].captureIds == ["a", "b"] && hours[0].captureCount == 2)
            #expect(hours[0].start == Self.noon.date && hours[0].date == "2026-06-01" && hours[0].engine == "local")
            #expect(Set(hours[0].people) == ["John", "Maria"])
            let said = ["a": "Just met with John at the coffee shop.", "b": "Maria told me about her new dog."]
            #expect(!hours[0].highlights.isEmpty)
            for highlight in hours[0].highlights { #expect(said[highlight.captureId] == highlight.text) }
            let days = try await server.days(as: ada)
            #expect(days.map(\.date) == ["2026-06-01"] && days.first?.totalCaptures == 2)
            #expect(Set(days.first?.people ?? []) == ["John", "Maria"])
        }
    }

    @Test("a capture that comes weeks late, a corrected one and a deleted one condense their hour again", arguments: Engine.allCases)
    func late(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let client = try CaptureClient(server, ada)
            try client.take("a", at: "2026-05-01T08:05:00Z", "Just met with John.")
            _ = try await server.processed("a", as: ada)
            try await server.settle()
            try await eventually { try await server.hours("2026-05-01", as: ada).map(\.captureIds) == [["a"]] }
            try client.take("b", at: "2026-05-01T08:06:00Z", "Maria called me.")
            _ = try await server.processed("b", as: ada)
            try await server.settle()
            #expect(try await server.hours("2026-05-01", as: ada).map(\.captureIds) == [["a"]], "at most every 30 s")
            try await pass(.seconds(40), server)
            #expect(try await server.hours("2026-05-01", as: ada).map(\.captureIds) == [["a", "b"]])
            let corrected = try await server.sendJSON("PATCH", "/captures/a", ["transcription": "Just met with Nina."], as: ada)
            #expect(corrected.status == 200)
            _ = try await server.processed("a", as: ada)
            try await pass(.seconds(80), server)
            let hours = try await server.hours("2026-05-01", as: ada)
            #expect(hours.first?.highlights.map(\.text).contains("Just met with Nina.") == true, "\(hours)")
            #expect(try await server.send("DELETE", "/captures/a", as: ada).status == 200)
            #expect(try await server.send("DELETE", "/captures/b", as: ada).status == 200)
            // The captures are gone at once, and the hour's summary with them.
            #expect(try await server.hours("2026-05-01", as: ada).isEmpty)
            try await pass(.seconds(80), server)
            #expect(try await server.hours("2026-05-01", as: ada).isEmpty)
            #expect(try await server.days(as: ada).isEmpty)
            let left = try await server.rowCounts(of: ada.id)
            #expect(left["capture_hour"] == nil && left["capture_day"] == nil, "\(left)")
        }
    }

    /// What a client reads about one hour and its day.
    private struct Counts: Equatable {
        var hour: [String]?
        var day: Int?
        var memory: Int?
        /// The captures that are quoted.
        var quoted: Set<String>
    }

    @Test("a capture that is analysed again counts in its hour and its day, and is not quoted", arguments: Engine.allCases)
    func counts(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let owner = ada.id
            let client = try CaptureClient(server, ada)
            try client.take("a", at: "2026-05-01T08:05:00Z", "Just met with John.")
            try client.take("b", at: "2026-05-01T08:06:00Z", "Maria called me.")
            for id in ["a", "b"] { _ = try await server.processed(id, as: ada) }
            try await eventually {
                server.clock.advance(by: .seconds(31))
                try await server.settle()
                return try await server.days(as: ada).first?.totalCaptures == 2
            }
            func read() async throws -> Counts {
                let hour = try await server.hours("2026-05-01", as: ada).first
                let day = try await server.days(as: ada).first
                let memory = try await server.send("GET", "/memories/\(owner)/2026-05-01", as: ada).json()["data"] as? [String: Any]
                let quoted = (hour?.highlights ?? []) + (day?.highlights ?? [])
                return Counts(
                    hour: hour?.captureIds, day: day?.totalCaptures, memory: memory?["totalCaptures"] as? Int,
                    quoted: Set(quoted.map(\.captureId)))
            }
            // The clock stands still, so the summaries are not made again. A second correction removes nothing more from them.
            for name in ["Nina", "Nora"] {
                let corrected = try await server.sendJSON("PATCH", "/captures/a", ["transcription": "Just met with \(name)."], as: ada)
                try #require(corrected.status == 200, "\(corrected.text)")
                #expect(try await read() == Counts(hour: ["a", "b"], day: 2, memory: 2, quoted: ["b"]), "\(name)")
                _ = try await server.processed("a", as: ada)
            }
            // From here on, the summary is made while the capture has no analysis yet.
            let store = server.backend.features[CapturesFeature.self].store
            let hour = CaptureHour(Timestamp(seconds: 1_777_622_700), in: .gmt)
            try await store.database.run("UPDATE capture SET status = 'received' WHERE owner = \(owner) AND id = 'a'")
            let ofHour = try #require(try await store.material(hour, owner: owner, highlights: 5, in: CondensingWork()))
            let ofDay = try #require(try await store.material(day: "2026-05-01", owner: owner, highlights: 5, in: CondensingWork()))
            for material in [ofHour, ofDay] {
                let content = try #require(Condensing.content(material, in: .gmt))
                #expect(content.captureCount == 2 && content.highlights.map(\.capture) == ["b"], "\(content)")
            }
            #expect(ofHour.captures == ["a", "b"])
            try await store.database.run("UPDATE capture SET status = 'received' WHERE owner = \(owner)")
            let nothing = try #require(try await store.material(day: "2026-05-01", owner: owner, highlights: 5, in: CondensingWork()))
            #expect(Condensing.content(nothing, in: .gmt) == nil)
            // A deleted capture no longer counts, even if it was corrected before.
            try #require(try await server.send("DELETE", "/captures/a", as: ada).status == 200)
            #expect(try await read() == Counts(hour: ["b"], day: 1, memory: 1, quoted: ["b"]))
        }
    }

    @Test("hours and days follow the user's time zone, from the next capture on when it changes", arguments: Engine.allCases)
    func zones(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let client = try CaptureClient(server, ada)
            try await server.setZone("Asia/Tokyo", of: ada)
            try client.take("tokyo", at: "2026-05-01T16:30:00Z", "Tea with John.")
            _ = try await server.processed("tokyo", as: ada)
            try await server.setZone("America/New_York", of: ada)
            try client.take("york", at: "2026-05-01T16:40:00Z", "Lunch with Maria.")
            _ = try await server.processed("york", as: ada)
            try await pass(.seconds(40), server)
            let (tokyo, york) = (try await server.hours("2026-05-02", as: ada), try await server.hours("2026-05-01", as: ada))
            #expect(tokyo.map(\.hour) == [1] && tokyo.first?.captureIds == ["tokyo"])
            #expect(york.map(\.hour) == [12] && york.first?.captureIds == ["york"])
            #expect(tokyo.first?.start == york.first?.start)
            #expect(try await server.captures("?date=2026-05-02", as: ada).items.map(\.id) == ["tokyo"])
            #expect(try await server.captures("?date=2026-05-01", as: ada).items.map(\.id) == ["york"])
            #expect(try await server.days(as: ada).map(\.date) == ["2026-05-02", "2026-05-01"])
        }
    }

    @Test("an hour that comes twice in a night is two summaries; one that is left out is none", arguments: Engine.allCases)
    func daylightSaving(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let client = try CaptureClient(server, ada)
            try await server.setZone("Europe/Berlin", of: ada)
            // The clocks went back from 03:00 to 02:00 on 2025-10-26 and forward from 02:00 to 03:00 on 2026-03-29, both at 01:00 UTC.
            for (id, time) in [
                ("first", "2025-10-26T00:30:00Z"), ("second", "2025-10-26T01:30:00Z"), ("before", "2026-03-29T00:30:00Z"),
                ("after", "2026-03-29T01:30:00Z"),
            ] {
                try client.take(id, at: time, "Just met with John for the \(id) time.")
                _ = try await server.processed(id, as: ada)
            }
            try await pass(.seconds(40), server)
            let autumn = try await server.hours("2025-10-26", as: ada)
            #expect(autumn.map(\.hour) == [2, 2] && autumn.map(\.captureIds) == [["first"], ["second"]])
            #expect(zip(autumn, autumn.dropFirst()).allSatisfy { $1.start.timeIntervalSince($0.start) == 3_600 })
            let spring = try await server.hours("2026-03-29", as: ada)
            #expect(spring.map(\.hour) == [1, 3] && spring.map(\.captureIds) == [["before"], ["after"]])
            #expect(autumn.first?.summary.hasPrefix("At 02:30: ") == true, "\(autumn)")
        }
    }

    @Test("captures are read in pages, and the summary is that of all of them", arguments: Engine.allCases)
    func pages(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let count = 3 * CaptureStore.materialPage + 7
            let hour = CaptureHour(Self.noon, in: .gmt)
            try await server.backend.database.write { tx in
                for number in 0..<count {
                    let analysis = CaptureAnalysis(
                        themes: [number % 3 == 0 ? "work" : "home"], mentionedNames: number == 60 ? ["Maria"] : [],
                        keyMoment: number % 2 == 0 ? "Number \(number)." : nil, engine: "local")
                    let text = String(decoding: try JSONEncoder().encode(analysis), as: UTF8.self)
                    for owner in [ada.id, eve.id] {
                        // Each time is that of four captures.
                        try tx.send(
                            """
                            INSERT INTO capture (owner, id, at, zone, day, hour, hour_start, status, transcription, transcription_engine,
                                analysis, version, created_at, row_bytes)
                            VALUES (\(owner), \("\(owner)-\(100 + number)"), \(Self.noon + .seconds(Int64(number / 4))), 'UTC', \(hour.day),
                                \(hour.hour), \(hour.start), 'processed', \("Number \(number)."), 'client', \(text), 1, \(Self.noon), 1)
                            """)
                    }
                }
                try tx.send(
                    """
                    INSERT INTO capture_hour (owner, day, start, hour, zone, changed, condensed, is_scheduled, row_bytes)
                    VALUES (\(ada.id), \(hour.day), \(hour.start), \(hour.hour), 'UTC', 5, 0, 1, 0)
                    """)
            }
            let store = server.backend.features[CapturesFeature.self].store
            let recording = RecordingDatabase(server.backend.database)
            let recorded = CaptureStore(
                database: recording, library: store.library, accounts: store.accounts, events: store.events, jobs: store.jobs,
                identifiers: store.identifiers, allowsAnonymous: false)
            let material = try #require(try await recorded.material(hour, owner: ada.id, highlights: 5, in: CondensingWork()))
            let statements = recording.statements()
            for statement in statements {
                let rows = try await server.backend.database.read { tx in try tx.rows(statement).count }
                #expect(rows <= CaptureStore.materialPage, "\(rows) rows: \(statement)")
            }
            #expect(statements.count > 2 * count / CaptureStore.materialPage)

            #expect(material.changed == 5 && material.captures == (0..<count).map { "\(ada.id)-\(100 + $0)" })
            let content = try #require(Condensing.content(material, in: .gmt))
            #expect(content.captureCount == count && content.themes == ["home", "work"])
            let whole = try await store.database.read { tx in
                try store.wholes(material.captures, owner: ada.id, tx).map(\.capture).map {
                    Condensation.Capture(
                        id: $0.id, at: $0.at, transcription: $0.transcription, hasPicture: false, analysis: $0.analysis)
                }
            }
            #expect(content.summary == Condensation(whole, in: .gmt, limit: 5).summary)
            #expect(content.highlights.first?.text == "Number 0." && content.highlights.count == 5)
        }
    }

    @Test("a backlog of one hour condenses it a few times, not once for each capture", arguments: Engine.allCases)
    func backlogCampaign(_ engine: Engine) async throws {
        guard CampaignScale.runs("captures") else { return }
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            let client = try CaptureClient(server, ada)
            // 1,000 in `make campaign NAME=captures`.
            let count = CampaignScale.isFull("captures") ? 1_000 : 200
            for number in 0..<count {
                try client.send([
                    "id": "c\(number)", "timestamp": "2026-05-01T08:\(10 + number / 25):\(10 + number % 25 * 2)Z",
                    "transcription": "This is number \(number) of a long morning.",
                ])
            }
            for _ in 0..<count { #expect(try client.next(skipping: "memory_processed")["type"] as? String == "ack") }
            // The clock stands still while captures are processed, because the leases of their jobs follow it, too.
            try await server.settle()
            try await eventually {
                server.clock.advance(by: .seconds(6))
                try await server.settle()
                return try await server.hours("2026-05-01", as: ada).first?.captureCount == count
            }
            try await pass(.seconds(40), server)
            let condensed = try await server.backend.database.read { tx in
                try tx.rows("SELECT seq FROM event WHERE account = \(ada.id) AND kind = 'summary.changed'").count
            }
            // Counts how often the summaries of the hour and of the day were made.
            #expect((2...12).contains(condensed), "\(condensed)")
            #expect(try await server.days(as: ada).first?.totalCaptures == count)
        }
    }
}

@Suite("The user's hours")
struct CaptureHourTests {
    @Test(
        "an hour is found by the offset of its zone, whole and half ones",
        arguments: [
            ("UTC", 1_780_315_200, "2026-06-01", 12, 1_780_315_200), ("Asia/Kolkata", 1_780_315_200, "2026-06-01", 17, 1_780_313_400),
            ("America/New_York", 1_780_286_399, "2026-05-31", 23, 1_780_282_800), ("Asia/Tokyo", 0, "1970-01-01", 9, 0),
        ])
    func hours(_ zone: String, _ seconds: Int64, _ day: String, _ hour: Int, _ start: Int64) throws {
        let found = CaptureHour(Timestamp(seconds: seconds), in: try #require(ZoneName.zone(named: zone)))
        #expect(found.day == day && found.hour == hour && found.start == Timestamp(seconds: start), "\(found)")
        let span = try #require(CaptureDay.span(found.day))
        #expect(span.contains(Timestamp(seconds: seconds)))
    }

    @Test("links of this server are recognised by their path, whatever host, query and encoding they have")
    func links() {
        #expect(
            OurLink("https://x.example/raw-media/u%201/memories/abc/photo.jpg?expires=1")
                == .upload(owner: "u 1", capture: "abc", kind: .photo))
        #expect(OurLink("http://127.0.0.1:8080/raw-media/u/memories/abc/audio.m4a#x") == .upload(owner: "u", capture: "abc", kind: .audio))
        #expect(OurLink("https://x.example/api/users/user/u/multimedia/files/f?signature=s") == .file(owner: "u", id: "f"))
        for other in [
            "https://storage.googleapis.com/reality-hack-2026-raw-media/memories/abc-123/photo.jpg", "/raw-media/u/memories/abc/photo.jpg",
            "ftp://x.example/raw-media/u/memories/abc/photo.jpg", "https://x.example/raw-media/u/memories/abc/film.mp4",
            "https://x.example/raw-media/u/memories/../photo.jpg", "https://x.example/raw-media/%zz/memories/abc/photo.jpg", "", "https://",
        ] { #expect(OurLink(other) == nil, "\(other)") }
    }
}
