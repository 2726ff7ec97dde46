import Core
import Database
import Foundation
import KeepsakeWire
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import KeepsakeKit
@testable import Media
@testable import Web
@testable import keepsake

/// The offline queue against a real server.
@Suite("KeepsakeKit's offline queue", .blocksThreads, .timeLimit(.minutes(3)))
struct QueueTests {
    func clock() -> TestClock { TestClock(Timestamp(seconds: Int64(Date().timeIntervalSince1970))) }

    func flushed(_ queue: OfflineQueue) async throws {
        let outcome = await queue.flush()
        #expect(outcome == .idle)
    }

    /// Deletes the keys that the server does not have to keep any longer.
    func sweep(_ server: TestServer) async throws {
        try await IdempotencyStore(
            database: server.backend.database, clock: server.clock.wall, count: server.backend.media.library.count(rowBytes:owner:_:)
        ).sweep()
    }

    @Test(
        "an entry of each kind is on the disk when it was added, and is sent once, in order, by the next launch",
        arguments: StoragePair.allCases)
    func everyKind(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, clock: clock()) { server in
            let fixture = try await QueueFixture(server)
            let first = OfflineQueue(try fixture.keepsake(), folder: fixture.queue)
            let picture = fixture.path + "/picture.jpg"
            try FileManager.default.copyItem(atPath: fixture.photo.path, toPath: picture)
            try await first.enqueue(.mood("calm", note: "mood-1", images: [URL(filePath: picture)]), label: "a")
            // The queue has made its own copy.
            try FileManager.default.removeItem(atPath: picture)
            try await first.enqueue(.memory(title: "memory-1"), label: "b")
            try await first.enqueue(.event(title: "event-1", date: Date()), label: "c")
            try await first.enqueue(.upload([fixture.film], labels: .init(title: "upload-1")), label: "d")
            let date = Date(timeIntervalSince1970: 1_000_000_001)
            try await first.enqueue(.capsule(fixture.sound, duration: 1, createdAt: date), label: "e")
            try await first.enqueue(.captureFile("capture-1", fixture.photo), label: "f")
            try await first.enqueue(.profilePicture(fixture.photo), label: "g")
            try await first.enqueue(
                QueuedCall(.init(rawValue: "cove"), CoveEndpoints.create) { _ in CreateCoveInput(name: "cove-1", location: "here") },
                label: "h")

            let next = OfflineQueue(try fixture.keepsake(), folder: fixture.queue)
            let waiting = try await next.entries()
            #expect(waiting.map(\.label) == ["a", "b", "c", "d", "e", "f", "g", "h"])
            #expect(waiting.allSatisfy { $0.state == .waiting && $0.attempts == 0 && $0.userID == fixture.userID && $0.byteCount > 0 })
            let events = await next.events()
            try await flushed(next)
            #expect(try await next.entries().isEmpty)
            var sent: [String] = []
            for await event in events {
                if case .sent(let entry, let response) = event {
                    sent.append(entry.label)
                    #expect(!response.isEmpty)
                }
                if sent.count == 8 { break }
            }
            #expect(sent == ["a", "b", "c", "d", "e", "f", "g", "h"])
            // The responses that the server keeps for 30 days with these keys.
            let answers = try await server.backend.database.read { tx in
                try tx.rows("SELECT route, answer FROM idempotency WHERE answer IS NOT NULL").map { row in
                    (try row.get("route", as: String.self), try row.get("answer", as: String.self).utf8.count)
                }
            }
            if CampaignScale.isFull("queue") { for (route, count) in answers { print("queue campaign: \(count) bytes for \(route)") } }
            #expect(answers.count == 9 && answers.allSatisfy { $0.1 <= 1_024 }, "\(answers)")
            let stored = try await fixture.stored()
            for name in ["mood-1", "memory-1", "event-1", "upload-1", "capsule-1", "capture-1"] { #expect(stored[name] == 1, "\(name)") }
            // The queue has deleted the bodies.
            let files = FileManager.default.enumerator(atPath: fixture.queue.path)?.compactMap { $0 as? String } ?? []
            #expect(!files.contains { $0.hasSuffix("entry.json") || $0.contains("body-") }, "\(files)")
        }
    }

    @Test("a refused entry is parked and the next ones pass; it can be retried and cancelled")
    func parked() async throws {
        try await TestServer.run(.sqlite, clock: clock()) { server in
            let fixture = try await QueueFixture(server)
            let queue = OfflineQueue(try fixture.keepsake(), folder: fixture.queue)
            let wrong = try await queue.enqueue(.mood("calm", note: "wrong", moodIntensity: 99))
            let other = try await queue.enqueue(.mood("calm", note: "wrong", moodIntensity: -1))
            try await queue.enqueue(.mood("calm", note: "right"))
            try await flushed(queue)
            #expect(try await fixture.stored() == ["right": 1])
            let held = try await queue.entries()
            #expect(held.map(\.id) == [wrong.id, other.id] && held.allSatisfy { $0.state == .parked && $0.attempts == 1 })
            #expect(held.first?.error?.status == 400)
            #expect(try await queue.retry(wrong.id))
            #expect(try await queue.entry(wrong.id)?.state == .waiting)
            try await flushed(queue)
            #expect(try await queue.entry(wrong.id)?.attempts == 2)
            #expect(try await queue.cancel(wrong.id)?.id == wrong.id)
            #expect(try await queue.cancel(wrong.id) == nil)
            #expect(try await !queue.retry(wrong.id))
            #expect(try await queue.retryParked() == 1)
            try await queue.removeAll(of: fixture.userID)
            #expect(try await queue.entries().isEmpty)
            #expect(try await queue.accounts().isEmpty)
        }
    }

    @Test("entries of one account wait while another is signed in, and are never sent as the other")
    func twoAccounts() async throws {
        try await TestServer.run(.sqlite, clock: clock()) { server in
            let fixture = try await QueueFixture(server)
            let keepsake = try fixture.keepsake()
            let queue = OfflineQueue(keepsake, folder: fixture.queue)
            let mine = try await queue.enqueue(.mood("calm", note: "ada's"))
            try await keepsake.auth.signOut()
            guard case .needsSignIn = await queue.flush() else {
                Issue.record("sent without a session")
                return
            }
            await #expect(throws: KeepsakeError.self) { try await queue.entries() }
            let eve = try await keepsake.auth.register(email: "eve@example.org", password: "correct horse")
            try await queue.enqueue(.mood("calm", note: "eve's"))
            try await flushed(queue)
            // Another account can neither see, nor change, nor send the entry.
            #expect(try await queue.entries().isEmpty)
            #expect(try await queue.cancel(mine.id) == nil)
            #expect(try await queue.accounts() == [fixture.userID])
            #expect(try await fixture.stored().isEmpty)
            let hers = try await keepsake.moments.moods().page().items.map(\.note)
            #expect(hers == ["eve's"] && eve.id != fixture.userID)
            try await keepsake.auth.signIn(email: "ada@example.org", password: "correct horse")
            try await flushed(queue)
            #expect(try await fixture.stored() == ["ada's": 1])
        }
    }

    @Test("two queues on one folder, as of an app and its share extension, send each entry once")
    func twoProcesses() async throws {
        try await TestServer.run(.sqlite, clock: clock()) { server in
            let fixture = try await QueueFixture(server)
            let transport = CountingTransport()
            let queues = try (0..<2).map { _ in OfflineQueue(try fixture.keepsake(transport: transport), folder: fixture.queue) }
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for (index, queue) in queues.enumerated() {
                    await queue.start()
                    tasks.addTask {
                        for number in 0..<15 { try await queue.enqueue(.mood("calm", note: "mood-\(index)-\(number)")) }
                    }
                }
                try await tasks.waitForAll()
            }
            try await eventually { try await queues[0].entries().isEmpty }
            for queue in queues { await queue.stop() }
            let stored = try await fixture.stored()
            #expect(stored.count == 30 && stored.values.allSatisfy { $0 == 1 })
            #expect(transport.count(of: "/api/users/user/\(fixture.userID)/moods/swift") == 30)
        }
    }

    @Test("two processes on one token store that meet an expired token make one refresh, and both stay signed in")
    func twoProcessesRefresh() async throws {
        let clock = clock()
        try await TestServer.run(.sqlite, clock: clock) { server in
            let fixture = try await QueueFixture(server)
            let refreshes = Mutex(0)
            let proxy = try FaultyHTTPProxy(toPort: server.port) { request in
                if request.target == "/auth/refresh" { refreshes.withLock { $0 += 1 } }
                return .none
            }
            // Each process has its own queue, so that both processes send.
            let processes = try (0..<2).map { number in
                try QueueProcess(
                    url: "http://127.0.0.1:\(proxy.port)", queue: fixture.path + "/queue-\(number)", tokens: fixture.path + "/tokens.json",
                    transport: "urlsession")
            }
            for process in processes { try process.send("start") }
            for round in 1...3 {
                for (index, process) in processes.enumerated() {
                    try process.send("moods \(10 * round + index) 1")
                }
                for (index, process) in processes.enumerated() {
                    try process.wait(for: "sent mood-\(10 * round + index)")
                }
                let refreshCount = refreshes.withLock { $0 }
                #expect(refreshCount == round - 1)
                // The injected clock says that the token has expired, but the `Date` header does not. So the server refuses each process's
                // next request once.
                clock.advance(by: .seconds(4_000))
            }
            for process in processes { process.killNow() }
            #expect(try await fixture.stored().count == 6)
            #expect(try await fixture.keepsake(port: proxy.port).auth.me().id == fixture.userID)
        }
    }

    @Test("without a network nothing counts as an attempt, and a page of a hotel's network is no response")
    func noNetwork() async throws {
        try await TestServer.run(.sqlite, clock: clock()) { server in
            let fixture = try await QueueFixture(server)
            let proxy = try FaultyHTTPProxy(toPort: server.port) { _ in .lose }
            let queue = OfflineQueue(try fixture.keepsake(port: proxy.port), folder: fixture.queue)
            let entry = try await queue.enqueue(.mood("calm", note: "mood"))
            for _ in 0..<2 {
                guard case .waiting = await queue.flush() else {
                    Issue.record("sent without a network")
                    return
                }
                #expect(try await queue.entry(entry.id)?.attempts == 0)
                proxy.set { _ in .refuse(status: "200 OK", body: "<html>Welcome! Accept our terms.</html>") }
            }
            // The network fails after the queue has checked that it works.
            proxy.set { $0.method == "POST" ? .refuse(status: "403 Forbidden", body: "<html>Pay first.</html>") : .none }
            guard case .waiting = await queue.flush() else {
                Issue.record("took a page for a refusal")
                return
            }
            #expect(try await queue.entry(entry.id)?.state == .waiting)
            proxy.set { _ in .none }
            try await flushed(queue)
            #expect(try await fixture.stored() == ["mood": 1])
        }
    }

    @Test("a suspended account's entries wait and are not parked")
    func suspended() async throws {
        try await TestServer.run(.sqlite, clock: clock()) { server in
            let fixture = try await QueueFixture(server)
            let queue = OfflineQueue(try fixture.keepsake(), folder: fixture.queue)
            try await queue.enqueue(.mood("calm", note: "before"))
            try await flushed(queue)
            try await queue.enqueue(.mood("calm", note: "mood"))
            try await server.suspend(fixture.userID)
            guard case .needsSignIn = await queue.flush() else {
                Issue.record("sent for a suspended account")
                return
            }
            #expect(try await queue.entries().map(\.state) == [.waiting])
            try await server.restore(fixture.userID)
            try await flushed(queue)
            #expect(try await fixture.stored() == ["before": 1, "mood": 1])
        }
    }
}
