import Core
import Database
import Foundation
import KeepsakeKit
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// The offline queue while the network fails and the app is ended by kill -9. `make campaign NAME=queue` runs the full size.
@Suite("Campaign: queue", .blocksThreads, .timeLimit(.minutes(120)))
struct QueueCampaignTests {
    /// The client compares a token's expiry with the server's `Date` header, so the injected clock starts at the real time.
    private func clock() -> TestClock { TestClock(Timestamp(seconds: Int64(Date().timeIntervalSince1970))) }

    /// How often the app is killed with each storage pair. All pairs together: 500 times in the campaign, 30 times in a test run.
    private static let runs = (CampaignScale.isFull("queue") ? 500 : 30) / max(1, CampaignScale.pairs.count)

    private static func fault(_ request: FaultyHTTPProxy.Request) -> FaultyHTTPProxy.Fault {
        switch Int.random(in: 0..<100) {
        case 0..<4: .refuse(status: "503 Service Unavailable", body: "<html>busy</html>")
        case 4..<12: .lose
        case 12..<22: .loseResponse
        case 22..<28: .truncate
        case 28..<34: .replay
        case 34..<38: .stall(.milliseconds(200))
        default: .none
        }
    }

    @Test("no entry is lost or doubled while the network fails and the app is killed", arguments: CampaignScale.pairs)
    func faults(_ pair: StoragePair) async throws {
        guard CampaignScale.runs("queue") else { return }
        let runs = Self.runs
        try await TestServer.run(pair, clock: clock()) { server in
            let fixture = try await QueueFixture(server)
            // This proxy cuts requests in the middle. `proxy` below injects faults for whole requests.
            let cuts = try Proxy(toPort: server.port) { _, direction in
                direction == .toServer && Int.random(in: 0..<30) == 0 ? .cut : .pass
            }
            let proxy = try FaultyHTTPProxy(toPort: cuts.port) { Self.fault($0) }
            var added: Set<String> = []
            var parked: [String] = []
            var kills = 0
            for run in 1...runs {
                let process = try fixture.start(port: proxy.port)
                try process.send("start")
                try process.send(fixture.moments(run))
                // Some processes are killed while they add entries, most while they send.
                usleep(UInt32.random(in: 0...300_000))
                process.killNow()
                kills += 1
                added.formUnion(process.printed("added"))
                parked += process.printed("parked")
                CampaignScale.progress(run, of: runs)
            }
            proxy.set { _ in .none }
            cuts.set { _, _ in .pass }
            let last = try fixture.start(port: proxy.port)
            try last.send("start")
            try last.wait(for: "idle", within: .seconds(600))
            parked += last.printed("parked")
            let stored = try await fixture.stored()
            let lost = added.filter { stored[$0] == nil }
            let doubled = stored.filter { $0.value > 1 }
            print(
                "queue campaign: \(pair), \(added.count) entries, \(kills) kills: \(lost.count) lost, \(doubled.count) doubled, \(parked.count) parked"
            )
            #expect(added.count > runs)
            #expect(lost.isEmpty && doubled.isEmpty && parked.isEmpty, "\(lost) \(doubled) \(parked)")
            // If a process was killed before it printed an entry's line, the server may still have this entry. But then it must have all of
            // it.
            #expect(stored.keys.allSatisfy { !$0.hasPrefix("silent-") }, "\(stored.keys.filter { $0.hasPrefix("silent-") })")
            // Each mood has a film; each upload, capsule and capture has one file.
            let kinds = Dictionary(grouping: stored.keys) { $0.prefix { $0 != "-" } }.mapValues(\.count)
            let expected = kinds.reduce(0) { $0 + ($1.key == "memory" ? 0 : $1.value) }
            let fileCount = try await fixture.fileCount()
            #expect(fileCount == expected, "\(fileCount) files for \(kinds)")
            #expect(try await OfflineQueue(fixture.keepsake(port: proxy.port), folder: fixture.queue).entries().isEmpty)
        }
    }

    /// Whether the bytes are one whole WebSocket frame. Only such bytes may be sent twice: half an upload sent twice would be another
    /// upload.
    private static func isWholeFrame(_ bytes: [UInt8]) -> Bool {
        // RFC 6455 §5.2: a masked final text frame, with fewer than 126 bytes or fewer than 65,536.
        guard bytes.count >= 8, bytes[0] == 0x81, bytes[1] & 0x80 != 0 else { return false }
        let length = Int(bytes[1] & 0x7F)
        if length < 126 { return bytes.count == 6 + length }
        return length == 126 && bytes.count == 8 + Int(bytes[2]) << 8 + Int(bytes[3])
    }

    @Test(
        "no capture is lost or doubled while connections break in many ways and the app is killed", arguments: CampaignScale.pairs)
    func captures(_ pair: StoragePair) async throws {
        guard CampaignScale.runs("queue") else { return }
        let runs = Self.runs
        try await TestServer.run(pair, clock: clock()) { server in
            let fixture = try await QueueFixture(server)
            // `FaultyHTTPProxy` does not forward WebSockets.
            let proxy = try Proxy(toPort: server.port) { bytes, direction in
                if direction == .toServer, Self.isWholeFrame(bytes), Int.random(in: 0..<4) == 0 { return .replay }
                return switch Int.random(in: 0..<30) {
                case 0: .cut
                case 1: .passAndCut
                case 2: .truncate
                case 3: .delay(.milliseconds(200))
                default: .pass
                }
            }
            var added: Set<String> = []
            for run in 1...runs {
                let process = try fixture.start(port: proxy.port, transport: "http")
                try process.send("start")
                for part in 0..<3 { try process.send("capture \(run)-\(part) \(fixture.photo.path)") }
                usleep(UInt32.random(in: 0...400_000))
                process.killNow()
                added.formUnion(process.printed("added"))
                CampaignScale.progress(run, of: runs)
            }
            proxy.set { _, _ in .pass }
            let last = try fixture.start(port: proxy.port, transport: "http")
            try last.send("start")
            try last.wait(for: "idle", within: .seconds(300))
            #expect(last.printed("parked").isEmpty, "\(last.printed("parked"))")
            let captures = try await server.backend.database.read { [userID = fixture.userID] tx in
                try tx.rows("SELECT id FROM capture WHERE owner = \(userID)").map { try $0.get("id", as: String.self) }
            }
            #expect(added.count > runs && added.isSubset(of: captures) && Set(captures).count == captures.count)
            #expect(try await fixture.fileCount() == captures.count)
        }
    }

    @Test("control: with a new key for each attempt, entries are doubled")
    func control() async throws {
        guard CampaignScale.runs("queue") else { return }
        try await TestServer.run(.sqlite, clock: clock()) { server in
            let fixture = try await QueueFixture(server)
            let proxy = try FaultyHTTPProxy(toPort: server.port) { request in
                request.method == "POST" && Bool.random() ? .loseResponse : .none
            } rewriting: { head in
                head.replacing(/(?i)(idempotency-key: )[^\r]*/) { "\($0.output.1)\(UUID().uuidString)" }
            }
            let queue = OfflineQueue(try fixture.keepsake(port: proxy.port), folder: fixture.queue)
            for number in 1...10 { try await queue.enqueue(.mood("calm", note: "mood-\(number)"), label: "mood-\(number)") }
            while await queue.flush() != .idle { try await Task.sleep(for: .milliseconds(5)) }
            let stored = try await fixture.stored()
            #expect(stored.count == 10 && stored.values.contains { $0 > 1 }, "\(stored)")
        }
    }

    @Test("entries stay in their order while the app that adds and sends them is killed")
    func order() async throws {
        guard CampaignScale.runs("queue") else { return }
        let (count, kills) = CampaignScale.isFull("queue") ? (10_000, 100) : (300, 5)
        try await TestServer.run(.sqlite, clock: clock()) { server in
            let fixture = try await QueueFixture(server)
            var (next, killed) = (0, 0)
            // The app has printed that these entries are durable.
            var added: Set<String> = []
            // The order of ids that were made in the same millisecond is undefined, so the clock advances by a millisecond for each
            // request.
            let proxy = try Proxy(toPort: server.port) { _, direction in
                if direction == .toServer { server.clock.advance(by: .milliseconds(1)) }
                return .pass
            }
            defer { proxy.close() }
            // Half of the kills happen while entries are added, the others while they are sent.
            for _ in 0..<kills / 2 {
                let process = try fixture.start(port: proxy.port)
                try process.send("moods \(next) \(count)")
                let share = "added mood-\(next + count / (kills / 2 + 1))"
                try process.wait(for: share, within: .seconds(300))
                process.killNow()
                killed += 1
                added.formUnion(process.printed("added"))
                // The entry after the last printed one may be durable too.
                next = process.printed("added").compactMap { Int($0.dropFirst(5)) }.max().map { $0 + 2 } ?? next
            }
            let adding = try fixture.start(port: proxy.port)
            if next < count {
                try adding.send("moods \(next) \(count - next)")
                try adding.wait(for: "added mood-\(count - 1)", within: .seconds(600))
            }
            adding.killNow()
            added.formUnion(adding.printed("added"))
            let queue = OfflineQueue(try fixture.keepsake(port: proxy.port), folder: fixture.queue)
            let labels = try await queue.entries().map(\.label)
            #expect(added.isSubset(of: labels), "\(added.subtracting(labels))")
            let numbers = labels.compactMap { Int($0.dropFirst(5)) }
            #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count && numbers.count > count - kills * 2)
            for kill in 0..<kills - kills / 2 {
                let process = try fixture.start(port: proxy.port)
                try process.send("start")
                let left = try await queue.entries()
                let index = left.count / max(1, kills - kills / 2 - kill + 1)
                let target = try #require(left.dropFirst(index).first)
                try process.wait(for: "sent \(target.label)", within: .seconds(600))
                process.killNow()
                killed += 1
                CampaignScale.progress(kill + 1, of: kills - kills / 2)
            }
            #expect(killed == kills)
            let outcome = await queue.flush()
            #expect(outcome == .idle)
            // Ids sort by the time at which they were made.
            let stored = try await server.backend.database.read { tx in
                try tx.rows("SELECT note FROM moment ORDER BY id").map { try $0.get("note", as: String.self) }
            }
            #expect(stored == labels)
        }
    }
}

/// Measures memory, so it runs alone.
@Suite("Campaign: queue, memory", .blocksThreads, .runsAlone)
struct QueueMemoryCampaignTests {
    @Test("queueing and sending large files takes at most 32 MB of memory above idle", .timeLimit(.minutes(30)))
    func memory() async throws {
        guard CampaignScale.runs("queue") else { return }
        let (count, byteCount) = CampaignScale.isFull("queue") ? (20, 50 * 1_048_576) : (4, 16 * 1_048_576)
        let clock = TestClock(Timestamp(seconds: Int64(Date().timeIntervalSince1970)))
        try await TestServer.run(.sqlite, clock: clock) { server in
            let fixture = try await QueueFixture(server)
            let film = fixture.path + "/large.mp4"
            try Film.bytes(byteCount).write(to: URL(filePath: film))
            let process = try fixture.start()
            // Send one entry of each kind first, so that code and connections are loaded.
            try process.send(fixture.moments(1))
            try process.send("start")
            try process.wait(for: "sent capture-1")
            let idle = try process.memory()
            try process.send("films \(count) \(film)")
            try process.wait(for: "sent film-\(count)", within: .seconds(1_200))
            let peak = try process.memory("VmHWM")
            print("queue campaign: \(count) × \(byteCount / 1_048_576) MB queued and sent: \((peak - idle) / 1_024) KB above idle")
            #expect(peak - idle < 32 * 1_048_576, "\(peak - idle)")
            process.killNow()
            #expect(try await fixture.stored().filter { $0.key.hasPrefix("film-") }.count == count)
        }
    }
}
