import Core
import Database
import Dispatch
import Foundation
import Synchronization
import TestKit
import TestThreads
import Testing

@testable import Captures
@testable import FeatureTestKit
@testable import keepsake

@Suite("Captures beside the writes of others", .blocksThreads, .runsAlone)
struct CaptureTurnsTests {
    private static let time = "2026-05-01T08:00:00Z"

    /// Sends many captures while the writer is held, so that they are written together afterwards.
    /// - Parameter requester: holds the writer at first, and afterwards writes again and again.
    /// - Returns: the number of captures in the largest INSERT.
    private func largestInsert(beside requester: Requester) async throws -> Int {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            let (ada, database) = (try await server.person(), server.backend.database)
            let client = try CaptureClient(server, ada)
            try client.take("first", at: Self.time)
            try await server.settle()
            let gate = DispatchSemaphore(value: 0)
            let (isHeld, maker) = AsyncStream.makeStream(of: Void.self)
            func writing() -> Task<Void, any Error> {
                requester.run {
                    Task {
                        try await database.write { _ in
                            maker.finish()
                            gate.wait()
                        }
                        while !Task.isCancelled {
                            try await database.write { _ in }
                            try await Task.sleep(for: .milliseconds(5))
                        }
                    }
                }
            }
            let other = writing()
            for await _ in isHeld {}
            for number in 0..<200 { try client.send(["timestamp": Self.time, "id": "c\(number)"]) }
            try await Task.sleep(for: .seconds(1))
            gate.signal()
            var acknowledged: Set<String> = []
            while acknowledged.count < 200 {
                let message = try client.next(skipping: "memory_processed")
                #expect(message["type"] as? String == "ack", "\(message)")
                acknowledged.insert(try #require(message["captureId"] as? String))
            }
            other.cancel()
            _ = await other.result
        }
        let inserts = record.statements.map { $0.text { _ in "?" } }.filter { $0.hasPrefix("INSERT INTO capture (") }
        return inserts.map { $0.components(separatedBy: "), (").count }.max() ?? 0
    }

    @Test("captures are written in short transactions while another account writes, and in long ones while nobody does")
    func short() async throws {
        let beside = try await largestInsert(beside: Requester(account: "eve", network: nil))
        #expect(1...32 ~= beside, "\(beside)")
        // Writes of the server itself do not limit the batch, because the server also is the requester of the captures' writes.
        let alone = try await largestInsert(beside: .server)
        #expect(alone == 64, "\(alone)")
    }

    @Test("the capture of one account does not wait for all those that another account sent before it")
    func accounts() async throws {
        try await TestServer.run(.embedded) { server in
            let (ada, bob, database) = (try await server.person(), try await server.person("bob"), server.backend.database)
            let (greedy, other) = (try CaptureClient(server, ada), try CaptureClient(server, bob))
            try other.take("first", at: Self.time)
            // Somebody else writes all the time.
            let eve = Requester(account: "eve", network: nil).run {
                Task {
                    while !Task.isCancelled { try await database.write { _ in } }
                }
            }
            for number in 0..<400 { try greedy.send(["timestamp": Self.time, "id": "c\(number)"]) }
            try other.send(["timestamp": Self.time, "id": "b"])
            #expect(try other.next(skipping: "memory_processed")["captureId"] as? String == "b")
            let count: Int = try await database.read { tx in
                try tx.row("SELECT COUNT(*) AS n FROM capture WHERE owner = \(ada.id)")!.get("n")
            }
            #expect(count < 350, "\(count)")
            eve.cancel()
            _ = await eve.result
        }
    }

    @Test("on SQLite, the first capture of an account needs no write apart from those of others")
    func firstCaptures() async throws {
        let record = StatementRecord()
        try await TestServer.run(.embedded, record: record) { server in
            for name in ["ada", "bob"] {
                let person = try await server.person(name)
                let client = try CaptureClient(server, person)
                #expect(try client.take("first", at: Self.time)["type"] as? String == "ack")
                let used = try await server.backend.database.read { tx in
                    try tx.row("SELECT row_bytes FROM media_usage WHERE account = \(person.id)")?.get("row_bytes", as: Int64.self)
                }
                #expect((used ?? 0) > 0, "\(name)")
            }
        }
        // If a shared write failed, the server would repeat it as separate writes, and insert the capture once more.
        let inserts = record.all.map(\.text).filter { $0.hasPrefix("INSERT INTO capture (") }
        #expect(inserts.count == 2, "\(inserts.count)")
    }

    @Test("on PostgreSQL, captures do not wait for the usage of another account, which a long write has locked")
    func lockedUsage() async throws {
        // The captures could occupy both of the shared writes that may run at once.
        try await Self.sendBeside(["a1", "a2"]) { ada, tx in
            try tx.run("UPDATE media_usage SET row_bytes = row_bytes WHERE account = \(ada)")
        }
    }

    @Test("on PostgreSQL, captures do not wait for a repeated capture of another account, which a long write has locked or deletes")
    func lockedCapture() async throws {
        try await Self.sendBeside(["first"]) { ada, tx in
            try tx.lock(CaptureStore.lock("first", of: ada))
            try tx.run("DELETE FROM capture WHERE owner = \(ada) AND id = 'first'")
        }
    }

    @Test("on PostgreSQL, captures do not wait for one of another account that another node stores, while that node waits for its usage")
    func sameCapture() async throws {
        try await TestServer.run(.postgres) { server in
            let (ada, bob, database) = (try await server.person(), try await server.person("bob"), server.backend.database)
            for person in [ada, bob] { try CaptureClient(server, person).take("first", at: Self.time) }
            let store = server.backend.features[CapturesFeature.self].store
            func capture(_ id: String, of owner: String) throws -> NewCapture {
                NewCapture(owner: owner, id: id, message: CaptureMessage(id: id, at: try #require(CaptureRules.time(Self.time))))
            }
            let gate = DispatchSemaphore(value: 0)
            let (isHeld, maker) = AsyncStream.makeStream(of: Void.self)
            let holder = Task {
                try await database.write { tx in
                    try tx.run("UPDATE media_usage SET row_bytes = row_bytes WHERE account = \(ada.id)")
                    maker.finish()
                    _ = gate.wait(timeout: .now() + 8)
                }
            }
            for await _ in isHeld {}
            // The write of the other node.
            let waiting = Task { [same = try capture("same", of: ada.id)] in try await store.take([same], exactly: true) }
            try await Task.sleep(for: .milliseconds(300))
            let start = ContinuousClock.now
            await #expect(throws: CaptureStore.OwnersApart.self) {
                _ = try await store.take([capture("same", of: ada.id), capture("b", of: bob.id)])
            }
            #expect(ContinuousClock.now - start < .seconds(4))
            gate.signal()
            try await holder.value
            #expect(try await waiting.value.outcomes == [nil])
        }
    }

    @Test("a capture is processed soon while another account sends captures all the time", arguments: Engine.allCases)
    func processing(_ engine: Engine) async throws {
        try await TestServer.run(engine) { server in
            let (ada, bob) = (try await server.person(), try await server.person("bob"))
            let (busy, other) = (try CaptureClient(server, ada), try CaptureClient(server, bob))
            try other.take("first", at: Self.time)
            #expect(try other.next()["type"] as? String == "memory_processed")
            let isOver = Mutex(false)
            let sending = Task.detached {
                for number in 0..<400 where !isOver.withLock({ $0 }) {
                    try busy.send(["timestamp": Self.time, "id": "c\(number)"])
                    try await Task.sleep(for: .milliseconds(12))
                }
            }
            let start = ContinuousClock.now
            for number in 0..<3 {
                try other.take("b\(number)", at: Self.time)
                #expect(try other.next()["type"] as? String == "memory_processed")
            }
            // When jobs waited for a moment without captures, each took at least a second.
            #expect(ContinuousClock.now - start < .seconds(3))
            isOver.withLock { $0 = true }
            try await sending.value
        }
    }

    /// Sends captures of Ada, who has stored one named `first`, while a write holds locks. Then expects that captures of Bob are stored
    /// before this write ends, and those of Ada afterwards.
    /// - Parameter lock: what the write does before it waits; receives Ada's account.
    private static func sendBeside(
        _ captures: [String], _ lock: @escaping @Sendable (_ ada: String, WriteTransaction) throws -> Void
    ) async throws {
        try await TestServer.run(.postgres) { server in
            let (ada, bob, database) = (try await server.person(), try await server.person("bob"), server.backend.database)
            let (locked, other) = (try CaptureClient(server, ada), try CaptureClient(server, bob))
            // Creates each account's row of usage.
            for client in [locked, other] { try client.take("first", at: time) }
            // The server writes an account's first captures, and those of the next second, separately from those of other accounts.
            try await Task.sleep(for: .milliseconds(1_200))
            let gate = DispatchSemaphore(value: 0)
            let (isHeld, maker) = AsyncStream.makeStream(of: Void.self)
            let holder = Task {
                try await database.write { tx in
                    try lock(ada.id, tx)
                    maker.finish()
                    _ = gate.wait(timeout: .now() + 15)
                }
            }
            for await _ in isHeld {}
            let start = ContinuousClock.now
            for id in captures {
                try locked.send(["timestamp": time, "id": id])
                try await Task.sleep(for: .milliseconds(100))
            }
            for id in ["b1", "b2"] {
                try other.send(["timestamp": time, "id": id])
                #expect(try other.next(skipping: "memory_processed")["captureId"] as? String == id)
            }
            // A write that waited for the lock would give up after ten seconds.
            #expect(ContinuousClock.now - start < .seconds(8))
            gate.signal()
            try await holder.value
            for id in captures {
                #expect(try locked.next(skipping: "memory_processed")["captureId"] as? String == id)
            }
        }
    }
}
