import Core
import Database
import Foundation
import Intelligence
import KeepsakeWire
import Synchronization
import TestKit
import TestThreads
import Testing
import Web

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

@Suite("Turns and pauses of condensing", .blocksThreads)
struct CondensingTurnsTests {
    private static func capture(_ number: Int, byteCount: Int) -> Condensation.Capture {
        Condensation.Capture(
            id: "c\(number)", at: Timestamp(seconds: Int64(number)), transcription: String(repeating: "x", count: byteCount),
            hasPicture: false, analysis: nil)
    }

    private final class Order: Sendable {
        private let all = Mutex<[String]>([])
        func add(_ name: String) { all.withLock { $0.append(name) } }
        var names: [String] { all.withLock { $0 } }
    }

    @Test("captures with short texts are read in one turn, and one with a long text in a turn of its own")
    func steps() async throws {
        let work = FairWork(CondensingWork.limits(processors: 2))
        let (order, most) = (Order(), LongWork.textByteCount)
        let captures = [10, 20, 6 * most, most, most, 0, 1].enumerated().map { Self.capture($0.offset, byteCount: $0.element) }
        try await CondensingWork(work: work).run(captures, of: "ada") { order.add($0.map(\.id).joined(separator: " ")) }
        #expect(order.names == ["c0 c1", "c2", "c3", "c4 c5", "c6"])
        #expect(work.counts == (0, 0))
    }

    @Test("an account with long texts delays another account's summary by one of them, and uses one of two processors")
    func turns() async throws {
        let work = FairWork(CondensingWork.limits(processors: 2))
        let (condensing, order) = (CondensingWork(work: work), Order())
        let held = try await work.turn(Requester(account: "other", network: nil))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let captures = (0..<20).map { Self.capture($0, byteCount: 100_000) }
                try await condensing.run(captures, of: "greedy") { _ in order.add("greedy") }
            }
            try await eventually { work.counts.waiting == 1 }
            group.addTask { try await condensing.run([Self.capture(0, byteCount: 10)], of: "modest") { _ in order.add("modest") } }
            try await eventually { work.counts.waiting == 2 }
            #expect(order.names.isEmpty)
            held.release()
            try await group.waitForAll()
        }
        #expect(order.names.count == 21 && order.names.prefix(3).contains("modest"), "\(order.names)")
        #expect(work.counts == (0, 0))
    }

    @Test("an hour and a day are read, and their summaries composed, in turns of their account", arguments: Engine.allCases)
    func material(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let ada = try await server.person()
            try CaptureClient(server, ada).take("a", at: "2026-05-01T08:05:00Z", "Just met with John.")
            _ = try await server.processed("a", as: ada)
            try await eventually {
                server.clock.advance(by: .seconds(31))
                try await server.settle()
                return try await server.days(as: ada).first?.totalCaptures == 1
            }
            let hour = CaptureHour(Timestamp(seconds: 1_777_622_700), in: .gmt)
            let work = FairWork(CondensingWork.limits(processors: 2))
            let (store, owner, turns) = (server.backend.features[CapturesFeature.self].store, ada.id, CondensingWork(work: work))
            let reads: [@Sendable () async throws -> CaptureStore.Material?] = [
                { try await store.material(hour, owner: owner, highlights: 5, in: turns) },
                { try await store.material(day: hour.day, owner: owner, highlights: 5, in: turns) },
            ]
            for read in reads {
                let held = try await work.turn(Requester(account: "other", network: nil))
                let reading = Task { try await read() }
                try await eventually { work.counts.waiting == 1 }
                held.release()
                let material = try #require(try await reading.value)
                let others = try await work.turn(Requester(account: "other", network: nil))
                let condensing = Condensing(store: store, work: turns)
                let composing = Task { try await condensing.content(material, of: owner, in: .gmt) }
                try await eventually { work.counts.waiting == 1 }
                others.release()
                let content = try #require(try await composing.value)
                #expect(material.draft.captureCount == 1 && content.highlights.map(\.capture) == ["a"])
                #expect(work.counts == (0, 0))
            }
        }
    }

    /// The part of a job's payload that the test reads.
    private struct Payload: Decodable {
        let refusals: Int?
    }

    @Test("when captures change while they are read again and again, the pause grows to that between summaries", arguments: Engine.allCases)
    func pauses(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let owner = try await server.person().id
            let (store, database) = (server.backend.features[CapturesFeature.self].store, server.backend.database)
            let now = server.clock.now
            let hour = CaptureHour(now, in: .gmt)
            try await database.write { tx in
                try tx.send(
                    """
                    INSERT INTO capture_hour (owner, day, start, hour, zone, changed, condensed, is_scheduled, row_bytes)
                    VALUES (\(owner), \(hour.day), \(hour.start), \(hour.hour), 'UTC', 5, 0, 1, 0)
                    """)
                try tx.send(
                    """
                    INSERT INTO capture_day (owner, day, zone, changed, condensed, is_scheduled, row_bytes)
                    VALUES (\(owner), \(hour.day), 'UTC', 5, 0, 1, 0)
                    """)
            }
            let pauses: [(refusals: Int, pause: Duration)] = [
                (0, .seconds(1)), (1, .seconds(2)), (2, .seconds(4)), (4, .seconds(16)), (5, CaptureStore.condensingPause),
                (1_000, CaptureStore.condensingPause),
            ]
            for (refusals, pause) in pauses {
                try await database.write { tx in
                    try store.store(nil, of: hour, changed: 4, refusals: refusals, owner: owner, tx)
                    try store.store(nil, ofDay: hour.day, zone: "UTC", changed: 4, refusals: refusals, owner: owner, tx)
                }
                // The clock stands still, so none of the jobs runs.
                let rows = try await database.read { tx in try tx.rows("SELECT payload, run_at FROM job WHERE kind LIKE 'captures/%'") }
                var times: [Timestamp] = []
                for row in rows {
                    let text: String = try row.get("payload")
                    let payload = try JSONDecoder().decode(Payload.self, from: Data(text.utf8))
                    if payload.refusals == refusals + 1 { times.append(try row.get("run_at")) }
                }
                #expect(times == [now + pause, now + pause], "\(refusals) refusals")
            }
        }
    }

    @Test("a summary that was made by a clock that was ahead delays the next one by the usual pause only", arguments: Engine.allCases)
    func ahead(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let owner = try await server.person().id
            let (store, database) = (server.backend.features[CapturesFeature.self].store, server.backend.database)
            let now = server.clock.now
            let (hour, made) = (CaptureHour(now - .hours(2), in: .gmt), now + .days(1_000))
            try await database.write { tx in
                try tx.send(
                    """
                    INSERT INTO capture_hour (owner, day, start, hour, zone, changed, condensed, is_scheduled, condensed_at, row_bytes)
                    VALUES (\(owner), \(hour.day), \(hour.start), \(hour.hour), 'UTC', 1, 1, 0, \(made), 0)
                    """)
                try tx.send(
                    """
                    INSERT INTO capture_day (owner, day, zone, changed, condensed, is_scheduled, condensed_at, row_bytes)
                    VALUES (\(owner), \(hour.day), 'UTC', 1, 1, 0, \(made), 0)
                    """)
                try store.touch(hour, owner: owner, tx)
                // Removes the hour's summary, so the day changes.
                try store.store(nil, of: hour, changed: 2, owner: owner, tx)
            }
            let times = try await database.read { tx in
                try tx.rows("SELECT run_at FROM job WHERE kind LIKE 'captures/%'").map { try $0.get("run_at", as: Timestamp.self) }
            }
            #expect(times == [now + CaptureStore.condensingPause, now + CaptureStore.condensingPause])
        }
    }

    @Test("the job of an hour in the future waits for an hour at most", arguments: Engine.allCases)
    func future(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let owner = try await server.person().id
            let (store, database) = (server.backend.features[CapturesFeature.self].store, server.backend.database)
            let now = server.clock.now
            let hours = [now, now + .days(60_000)].map { CaptureHour($0, in: .gmt) }
            try await database.write { tx in
                for hour in hours { try store.touch(hour, owner: owner, tx) }
            }
            let times = try await database.read { tx in
                try tx.rows("SELECT run_at FROM job WHERE kind LIKE 'captures/%' ORDER BY run_at").map { row in
                    try row.get("run_at", as: Timestamp.self)
                }
            }
            #expect(times == [hours[0].end, now + .hours(1)])
        }
    }

    @Test("jobs that an earlier release has stored can be read")
    func earlierJobs() throws {
        let day = try JSONDecoder().decode(CondenseDay.self, from: Data(#"{"day": "2026-06-01", "zone": "UTC"}"#.utf8))
        #expect(day.day == "2026-06-01" && day.refusals == nil)
        // A job without refusals is stored in the form of earlier releases.
        let hour = try JSONEncoder().encode(CondenseHour(hour: CaptureHour(Timestamp(seconds: 1_777_622_700), in: .gmt)))
        #expect(!String(decoding: hour, as: UTF8.self).contains("refusals"))
        #expect(try JSONDecoder().decode(CondenseHour.self, from: hour).refusals == nil)
    }
}
