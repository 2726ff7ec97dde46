import Blobs
import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Web
@testable import keepsake

@Suite("Idempotency-Key", .blocksThreads)
struct IdempotencyTests {
    private func body(_ fixture: String = "photo.jpg", title: String = "Sea", boundary: String = UUID().uuidString) throws -> MultipartBody
    {
        var body = MultipartBody(boundary: boundary)
        body.add("title", title)
        body.add("file", fileName: "a.jpg", try Fixture.data(fixture))
        body.close()
        return body
    }

    private func assets(_ server: TestServer) async throws -> Int {
        try await server.backend.database.read { tx in try tx.row("SELECT COUNT(*) AS n FROM media")!.get("n") }
    }

    @Test("a repeat gets the first response, also with another boundary, and creates nothing", arguments: StoragePair.allCases)
    func repeated(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let first = try await server.upload(try body(boundary: "one"), as: ada, key: "k1")
            #expect(first.status == 200 && first.header("Idempotency-Replayed") == nil)
            let files = try await server.storedFileCount()
            for boundary in ["one", "another-boundary"] {
                let again = try await server.upload(try body(boundary: boundary), as: ada, key: "k1")
                #expect(again.status == 200 && again.body == first.body && again.header("Idempotency-Replayed") == "true")
            }
            #expect(try await assets(server) == 1)
            #expect(try await server.storedFileCount() == files)
        }
    }

    @Test("the same key with another request is 422, and nothing of it is stored", arguments: StoragePair.allCases)
    func another(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            #expect(try await server.upload(try body(), as: ada, key: "k1").status == 200)
            for other in [try body("palette.png"), try body(title: "Lake")] {
                let answer = try await server.upload(other, as: ada, key: "k1")
                #expect(answer.status == 422)
                let error = try answer.decode(MultimediaErrorBody.self)
                #expect(error.code == 422 && error.details.contains("Idempotency-Key"))
            }
            #expect(try await assets(server) == 1)
            #expect(try await server.storedFileCount() == 1)
        }
    }

    @Test("a key belongs to one account and one route", arguments: StoragePair.allCases)
    func scope(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let first = try await server.upload(try body(), as: ada, key: "k1")
            let hers = try await server.upload(try body(), as: eve, key: "k1")
            #expect(hers.status == 200 && hers.body != first.body && hers.header("Idempotency-Replayed") == nil)
            let picture = "/api/users/user/\(ada.id)/profile-picture/swift"
            let one = try await server.upload(.file("me.jpg", try Fixture.data("photo.jpg")), to: picture, as: ada, key: "k1")
            let two = try await server.upload(.file("me.jpg", try Fixture.data("photo.jpg")), to: picture, as: ada, key: "k1")
            #expect(one.status == 200 && two.body == one.body)
            #expect(try await assets(server) == 3)
        }
    }

    @Test("while the first request runs, a second one is 409 before it has sent its body", arguments: StoragePair.allCases)
    func inFlight(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let form = try body(boundary: "b")
            let slow = try RawConnection(port: server.port)
            let head = """
                POST /api/users/user/\(ada.id)/multimedia/swift HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(ada.token)\r
                Content-Type: multipart/form-data; boundary=b\r\nContent-Length: \(form.data.count)\r\nIdempotency-Key: k1\r\n\r\n
                """
            try slow.send(head)
            try slow.send(form.data.prefix(100))
            try await eventually { try await self.claims(server) == 1 }
            let second = try RawConnection(port: server.port)
            try second.send(head)
            let refusal = try second.answer()
            #expect(refusal.status == 409 && refusal.headers["retry-after"] == "1")
            try slow.send(form.data.dropFirst(100))
            #expect(try slow.answer().status == 200)
            #expect(try await server.upload(form, as: ada, key: "k1").header("Idempotency-Replayed") == "true")
            #expect(try await assets(server) == 1)
        }
    }

    private func claims(_ server: TestServer) async throws -> Int {
        try await server.backend.database.read { tx in try tx.row("SELECT COUNT(*) AS n FROM idempotency")!.get("n") }
    }

    @Test("a failed request releases its key", arguments: StoragePair.allCases)
    func failed(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let wrong = try await server.upload(.file("a.jpg", Data("no picture".utf8)), as: ada, key: "k1")
            #expect(wrong.status == 422)
            #expect(try await claims(server) == 0)
            #expect(try await server.upload(try body(), as: ada, key: "k1").status == 200)
        }
    }

    @Test(
        "an invalid key is 400, and the error names the header", arguments: ["", "two words", "Füße", String(repeating: "k", count: 256)])
    func badKeys(key: String) async throws {
        try await TestServer.run(.sqlite) { server in
            let answer = try await server.upload(try body(), as: server.person(), key: key)
            #expect(answer.status == 400)
            #expect(answer.text.contains("Idempotency-Key"))
            #expect(try await server.storedFileCount() == 0)
        }
    }

    @Test("after 30 days a key is usable again, and its row is deleted", arguments: StoragePair.allCases)
    func aMonthLater(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let store = IdempotencyStore(database: server.backend.database, clock: server.clock.wall)
            #expect(try await server.upload(try body(), as: ada, key: "k1").status == 200)
            #expect(try await server.upload(try body(), as: ada, key: "k2").status == 200)
            server.clock.advance(by: .days(30))
            try await store.sweep()
            #expect(try await claims(server) == 2)
            server.clock.advance(by: .microseconds(1))
            let later = try await server.upload(try body(title: "Lake"), as: server.person(), key: "k1")
            #expect(later.status == 200 && later.header("Idempotency-Replayed") == nil)
            try await store.sweep()
            #expect(try await claims(server) == 1)
            #expect(try await assets(server) == 3)
        }
    }

    @Test(
        "a retry takes over a request that a node abandoned 10 seconds ago, and that node creates nothing if it resumes",
        arguments: StoragePair.allCases)
    func takenOver(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let form = try body(boundary: "b")
            let slow = try RawConnection(port: server.port)
            try slow.send(
                """
                POST /api/users/user/\(ada.id)/multimedia/swift HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(ada.token)\r
                Content-Type: multipart/form-data; boundary=b\r\nContent-Length: \(form.data.count)\r\nIdempotency-Key: k1\r\n\r\n
                """)
            try slow.send(form.data.prefix(100))
            try await eventually { try await self.claims(server) == 1 }
            server.clock.advance(by: .seconds(9))
            #expect(try await server.upload(form, as: ada, key: "k1").status == 409)
            server.clock.advance(by: .seconds(1))
            #expect(try await server.upload(form, as: server.person(), key: "k1").status == 200)
            try slow.send(form.data.dropFirst(100))
            #expect(try slow.answer().status == 409)
            #expect(try await assets(server) == 1)
            #expect(try await server.backend.audit.run().problems.isEmpty)
            #expect(try await server.storedFileCount() == 1)
        }
    }

    @Test("KEEPSAKE_IDEMPOTENCY_DAYS is how long a retry gets the first response", arguments: StoragePair.allCases)
    func configured(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, { $0.idempotencyDays = 2 }) { server in
            let first = try await server.upload(try body(), as: server.person(), key: "k1")
            server.clock.advance(by: .days(2))
            let repeated = try await server.upload(try body(), as: server.person(), key: "k1")
            #expect(repeated.body == first.body && repeated.header("Idempotency-Replayed") == "true")
            server.clock.advance(by: .microseconds(1))
            let later = try await server.upload(try body(), as: server.person(), key: "k1")
            #expect(later.status == 200 && later.header("Idempotency-Replayed") == nil)
            #expect(try await assets(server) == 2)
        }
    }

    @Test("an account with too many keys is refused another, and others are not", arguments: Engine.allCases)
    func tooMany(_ engine: Engine) async throws {
        let clock = TestClock()
        let stores = try TestStores(engine)
        let database = try await stores.open(clock: clock.wall)
        try await database.migrate(IdempotencyStore.migrations)
        // The store counts an account's keys only at some of the responses that it stores. With this entropy, it counts at each.
        let store = IdempotencyStore(database: database, clock: clock.wall, maxKeyCount: 10, entropy: Entropy { _ in [0] })
        let answer = IdempotencyStore.Answer(text: "{}", fingerprint: "f", resources: [CreatedResource(kind: "mood", id: "m")])
        for number in 1...10 {
            #expect(try await store.claim(.init(account: "a", route: "r", key: "k\(number)")) == .granted(attempt: 1))
        }
        for (account, isRefused) in [("a", true), ("b", false)] {
            let name = IdempotencyStore.Name(account: account, route: "r", key: "new")
            #expect(try await store.claim(name) == .granted(attempt: 1))
            let keep: @Sendable () async throws -> Void = {
                try await database.write { tx in try store.keep(answer, name, attempt: 1, tx) }
            }
            if isRefused {
                let problem = await #expect(throws: Problem.self) { try await keep() }
                #expect(problem?.kind == .tooLarge)
            } else {
                try await keep()
            }
        }
        try await database.close()
        withExtendedLifetime(stores) {}
    }

    @Test("two nodes share their keys")
    func nodes() async throws {
        let stores = try TestStores(.postgres, tables: "server")
        let clock = TestClock()
        try await TestServer.run(.postgres, on: stores, clock: clock) { one in
            try await TestServer.run(.postgres, on: stores, clock: clock) { two in
                let ada = try await one.person()
                let answers = try await withThrowingTaskGroup(of: TestServer.Answer.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            while true {
                                let answer = try await (number % 2 == 0 ? one : two).upload(try body(), as: ada, key: "k1")
                                if answer.status != 409 { return answer }
                                try await Task.sleep(for: .milliseconds(20))
                            }
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(answers.allSatisfy { $0.status == 200 && $0.body.count == answers[0].body.count })
                #expect(Set(try answers.map { try $0.decode(UploadResponse.self).files[0].data.fileId }).count == 1)
                #expect(try await assets(one) == 1)
            }
        }
    }

    @Test("each statement finds its rows by an index", arguments: StoragePair.allCases)
    func plans(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, tables: nil) { server in
            let name = IdempotencyStore.Name(account: "a", route: "r", key: "k")
            let now = server.clock.now
            let resource = CreatedResource(kind: "mood", id: "m")
            let answer = IdempotencyStore.Answer(text: "{}", fingerprint: "f", resources: [resource])
            for sql in [
                IdempotencyStore.entry(name), IdempotencyStore.takeOver(name, from: 1, leaseUntil: now, now),
                IdempotencyStore.keep(answer, name, attempt: 1), IdempotencyStore.release(name, attempt: 1),
                IdempotencyStore.hold(name), IdempotencyStore.setLeft(1, name), IdempotencyStore.deleteAnswer(name, rowBytes: 512),
                IdempotencyStore.unname(name), IdempotencyStore.unname(resource, name),
            ] {
                let plan = try await QueryPlan(sql, on: server.backend.database)
                #expect(plan.faults.isEmpty, "\(plan)")
            }
            let answers = try await QueryPlan(IdempotencyStore.answers(to: resource, of: "a"), on: server.backend.database)
            #expect(answers.faults.isEmpty && answers.uses("idempotency_resource_by_id"), "\(answers)")
            let counting = try await QueryPlan(IdempotencyStore.countKeys(of: "a", upTo: 10), on: server.backend.database)
            // SQLite calls it a scan when it reads the few keys that the inner query has found by an index.
            #expect(counting.faults.allSatisfy { $0 == "SCAN held" }, "\(counting)")
            for sql in [IdempotencyStore.sizes(before: now, limit: 500), IdempotencyStore.forget(before: now, limit: 500)] {
                let sweep = try await QueryPlan(sql, on: server.backend.database)
                #expect(sweep.uses("idempotency_by_age"), "\(sweep)")
            }
        }
    }
}
