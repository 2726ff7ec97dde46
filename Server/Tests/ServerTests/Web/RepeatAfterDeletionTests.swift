import Core
import Database
import Foundation
import KeepsakeWire
import Media
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Web
@testable import keepsake

@Suite("An Idempotency-Key after its resource was deleted")
struct RepeatAfterDeletionTests {
    /// A route that creates a resource: a request to it, and the deletion of the resource.
    struct Creation: Sendable, CustomTestStringConvertible {
        let route: String
        /// Creates what the request needs.
        var prepare: @Sendable (TestServer, TestServer.Person) async throws -> String = { _, _ in "" }
        let send: @Sendable (TestServer, TestServer.Person, _ prepared: String, _ key: String) async throws -> TestServer.Answer
        /// Deletes the created resource.
        let delete: @Sendable (TestServer, TestServer.Person, _ prepared: String, TestServer.Answer) async throws -> TestServer.Answer

        var testDescription: String { route }

        static func moment(_ kind: String, _ fields: [(String, String)]) -> Creation {
            Creation(
                route: "POST /api/users/user/{userId}/\(kind)/swift",
                send: { server, person, _, key in try await server.create(kind, fields, files: [.photo, .voice], as: person, key: key) },
                address: { server, person, _, answer in
                    let id = try answer.json().values.compactMap { ($0 as? [String: Any])?["id"] as? String }.first
                    return server.moments(person, "\(kind)/\(try #require(id))")
                })
        }
    }

    /// Routes whose resources are deleted only together with the account.
    static let lasting: Set = ["POST /report"]

    @Test("the tests cover every route that creates", arguments: StoragePair.allCases)
    func complete(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let served = server.backend.makeRoutes(on: WebServer(metrics: Metrics())).served.filter(\.creates).map(\.name)
            #expect(Set(Self.creations.map(\.route)).union(Self.lasting) == Set(served))
        }
    }

    @Test("a retry is 410 in the route's dialect and creates nothing; a new key creates", arguments: StoragePair.allCases, creations)
    func gone(_ pair: StoragePair, _ creation: Creation) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let prepared = try await creation.prepare(server, ada)
            let first = try await creation.send(server, ada, prepared, "k1")
            #expect(first.status == 200, "\(first.text)")
            // Control: before the deletion, the response is replayed.
            let repeated = try await creation.send(server, ada, prepared, "k1")
            #expect(repeated.status == 200 && repeated.body == first.body && repeated.header("Idempotency-Replayed") == "true")

            let keys = try await server.idempotency()
            let made = try await server.creationCount()
            let deletion = try await creation.delete(server, ada, prepared, first)
            #expect(deletion.status == 200, "\(deletion.text)")
            // Resources that `prepare` created may still exist.
            let rest = try await server.creationCount()
            #expect(rest < made)
            // The deletion adds no rows for keys, and deletes the stored response.
            let left = try await server.idempotency()
            #expect(keys == TestServer.StoredAnswers(keys: 1, answers: 1, names: 1))
            #expect(left == TestServer.StoredAnswers(keys: 1, answers: 0, names: 0))
            _ = try await server.checkedUsage(of: ada)

            let retry = try await creation.send(server, ada, prepared, "k1")
            #expect(retry.status == 410 && retry.header("Idempotency-Replayed") == nil && retry.text.contains("Idempotency-Key"))
            let body = try retry.json()
            if creation.route.contains("/api/chat/") {
                #expect(Set(body.keys) == ["message"] && body["message"] is String)
            } else if creation.route.contains("/api/") {
                #expect(body["error"] as? String == "Gone" && body["code"] as? Int == 410)
            } else if creation.route.contains("upload/") {
                #expect(Set(body.keys) == ["status", "error"] && body["status"] as? String == "error")
            } else if creation.route.contains("/v0/") || creation.route.contains("/contacts/known/") {
                #expect(body["error"] as? String == "gone" && body["message"] is String)
            } else {
                #expect(Set(body.keys) == ["message"] && body["message"] is String)
            }
            #expect(try await server.creationCount() == rest)
            #expect(try await server.idempotency() == left)

            let another = try await creation.prepare(server, ada)
            let new = try await creation.send(server, ada, another, "k2")
            #expect(new.status == 200 && new.header("Idempotency-Replayed") == nil)
            #expect(try await server.creationCount() > rest)
            #expect(try await server.idempotency() == TestServer.StoredAnswers(keys: 2, answers: 1, names: 1))
            // The same key means something else for another account.
            let eve = try await server.person("eve")
            #expect(try await creation.send(server, eve, try await creation.prepare(server, eve), "k1").status == 200)
        }
    }

    private func upload(_ count: Int, _ server: TestServer, as person: TestServer.Person, key: String) async throws -> TestServer.Answer {
        var body = MultipartBody()
        for number in 0..<count { body.add("file", fileName: "\(number).mp4", Film.bytes(500 + number)) }
        body.close()
        return try await server.upload(body, as: person, key: key)
    }

    @Test("an upload of two files is replayed while one of them exists, and is 410 afterwards", arguments: StoragePair.allCases)
    func several(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let first = try await upload(2, server, as: ada, key: "k1")
            let ids = try first.decode(UploadResponse.self).files.map(\.data.fileId)
            #expect(ids.count == 2)
            #expect(try await server.send("DELETE", server.moments(ada, "multimedia/\(ids[0])"), as: ada).status == 200)
            let repeated = try await upload(2, server, as: ada, key: "k1")
            #expect(repeated.status == 200 && repeated.body == first.body && repeated.header("Idempotency-Replayed") == "true")
            #expect(try await server.idempotency() == TestServer.StoredAnswers(keys: 1, answers: 1, names: 1))
            #expect(try await server.creationCount() == 1)
            #expect(try await server.send("DELETE", server.moments(ada, "multimedia/\(ids[1])"), as: ada).status == 200)
            #expect(try await upload(2, server, as: ada, key: "k1").status == 410)
            #expect(try await server.creationCount() == 0)
            #expect(try await server.idempotency() == TestServer.StoredAnswers(keys: 1, answers: 0, names: 0))
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("when all files of one upload are deleted at once, no response is left", arguments: StoragePair.allCases)
    func together(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for round in 0..<4 {
                let files = try await upload(6, server, as: ada, key: "k\(round)").decode(UploadResponse.self).files
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for file in files {
                        let path = server.moments(ada, "multimedia/\(file.data.fileId)")
                        group.addTask { try await server.send("DELETE", path, as: ada).status }
                    }
                    for try await status in group { #expect(status == 200) }
                }
                #expect(try await upload(6, server, as: ada, key: "k\(round)").status == 410)
            }
            #expect(try await server.idempotency() == TestServer.StoredAnswers(keys: 4, answers: 0, names: 0))
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("a retry concurrent with the deletion gets the first response or 410, and creates nothing", arguments: StoragePair.allCases)
    func race(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for round in 0..<8 {
                let first = try await server.create("moods", [("mood", "calm")], as: ada, key: "k\(round)")
                let path = server.moments(ada, "moods/\(try first.decode(MoodResponse.self).mood.id)")
                try await withThrowingTaskGroup(of: TestServer.Answer?.self) { group in
                    group.addTask {
                        let deletion = try await server.send("DELETE", path, as: ada)
                        #expect(deletion.status == 200)
                        return nil
                    }
                    for _ in 0..<4 {
                        group.addTask { try await server.create("moods", [("mood", "calm")], as: ada, key: "k\(round)") }
                    }
                    for try await retry in group {
                        guard let retry else { continue }
                        #expect(retry.status == 410 || retry.status == 200 && retry.body == first.body, "\(retry.text)")
                    }
                }
                #expect(try await server.create("moods", [("mood", "calm")], as: ada, key: "k\(round)").status == 410)
                #expect(try await server.creationCount() == 0)
            }
        }
    }

    @Test(
        "after a deletion from the library, a mood without its picture is replayed, a recording is 410, and its capsule is replayed",
        arguments: StoragePair.allCases)
    func parts(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let mood = try await server.create("moods", [("mood", "calm")], files: [.photo], as: ada, key: "m")
            let capsule = try await server.makeCapsule(50, as: ada, key: "c")
            let sound = try Fixture.data("plain.wav")
            #expect(try await server.uploadAudio(sound, to: capsule.capsule.id, as: ada, key: "a").status == 200)
            let rows = try await server.backend.database.read { tx in try tx.rows("SELECT id FROM media") }
            #expect(rows.count == 2)
            for row in rows {
                let id: String = try row.get("id")
                #expect(try await server.send("DELETE", server.moments(ada, "multimedia/\(id)"), as: ada).status == 200)
            }
            let repeated = try await server.create("moods", [("mood", "calm")], files: [.photo], as: ada, key: "m")
            #expect(repeated.status == 200 && repeated.body == mood.body)
            #expect(try await server.makeCapsule(50, as: ada, key: "c") == capsule)
            #expect(try await server.uploadAudio(sound, to: capsule.capsule.id, as: ada, key: "a").status == 410)
            // With a new key, the recording is stored again, because the capsule still waits for one.
            #expect(try await server.uploadAudio(sound, to: capsule.capsule.id, as: ada, key: "b").status == 200)
            #expect(try await server.creationCount() == 3)
            #expect(try await server.send("DELETE", "/v0/capsules/\(capsule.capsule.id)", as: ada).status == 200)
            #expect(try await server.uploadAudio(sound, to: capsule.capsule.id, as: ada, key: "b").status == 410)
            #expect(try await server.uploadAudio(sound, to: capsule.capsule.id, as: ada, key: "c").status == 404)
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test("a profile picture that was replaced is 410, and the new one stays", arguments: StoragePair.allCases)
    func replaced(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            #expect(try await server.sendProfilePicture("photo.jpg", as: ada, key: "k1").status == 200)
            let second = try await server.sendProfilePicture("palette.png", as: ada, key: "k2")
            #expect(second.status == 200)
            #expect(try await server.sendProfilePicture("photo.jpg", as: ada, key: "k1").status == 410)
            #expect(try await server.sendProfilePicture("palette.png", as: ada, key: "k2").body == second.body)
            #expect(try await server.creationCount() == 1)
            _ = try await server.checkedUsage(of: ada)
        }
    }

    @Test(
        "after 30 days the key is usable again, and deleting its first resource does not affect its new response",
        arguments: StoragePair.allCases)
    func expired(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let old = try await server.create("moods", [("mood", "calm")], as: ada, key: "k1").decode(MoodResponse.self).mood
            let deleted = try await server.create("moods", [("mood", "glad")], as: ada, key: "k2").decode(MoodResponse.self).mood
            #expect(try await server.send("DELETE", server.moments(ada, "moods/\(deleted.id)"), as: ada).status == 200)
            server.clock.advance(by: .days(30))
            let later = try await server.person()
            #expect(try await server.create("moods", [("mood", "glad")], as: later, key: "k2").status == 410)
            server.clock.advance(by: .microseconds(1))
            for key in ["k1", "k2"] {
                let new = try await server.create("moods", [("mood", "new")], as: later, key: key)
                #expect(new.status == 200 && new.header("Idempotency-Replayed") == nil)
            }
            #expect(try await server.send("DELETE", server.moments(later, "moods/\(old.id)"), as: later).status == 200)
            let repeated = try await server.create("moods", [("mood", "new")], as: later, key: "k1")
            #expect(repeated.status == 200 && repeated.header("Idempotency-Replayed") == "true")
            _ = try await server.checkedUsage(of: later)
            server.clock.advance(by: .days(31))
            try await IdempotencyStore(
                database: server.backend.database, clock: server.clock.wall,
                count: server.backend.media.library.count(rowBytes:owner:_:)
            ).sweep()
            #expect(try await server.idempotency() == TestServer.StoredAnswers(keys: 0, answers: 0, names: 0))
            _ = try await server.checkedUsage(of: later)
        }
    }

    @Test("a response stored before responses named their resources is replayed as before", arguments: StoragePair.allCases)
    func upgraded(_ pair: StoragePair) async throws {
        let clock = TestClock()
        let stores = try TestStores(pair)
        let database = try await stores.open(clock: clock.wall)
        let before = IdempotencyStore.migrations.filter { $0.name != IdempotencyStore.createdResources }
        try #require(before.count == IdempotencyStore.migrations.count - 1)
        try await database.migrate(before)
        try await database.write { tx in
            try tx.run(
                """
                INSERT INTO idempotency (account, route, key, attempt, lease_until, fingerprint, answer, created_at, row_bytes)
                VALUES ('a', 'r', 'k', 1, 0, 'f', '{}', \(clock.now), 514)
                """)
        }
        try await database.migrate(IdempotencyStore.migrations)
        let store = IdempotencyStore(database: database, clock: clock.wall)
        let name = IdempotencyStore.Name(account: "a", route: "r", key: "k")
        let resource = CreatedResource(kind: "mood", id: "m")
        #expect(try await store.claim(name) == .answered(fingerprint: "f"))
        let freed = try await database.write { tx in try IdempotencyStore.forget(resource, of: "a", tx) }
        #expect(freed == 0)
        #expect(try await store.claim(name) == .answered(fingerprint: "f"))
        try await database.close()
    }

    @Test(
        "a request that cannot know whether it committed cannot release a key whose response was deleted", arguments: StoragePair.allCases)
    func lostCommit(_ pair: StoragePair) async throws {
        let clock = TestClock()
        let stores = try TestStores(pair)
        let database = try await stores.open(clock: clock.wall)
        try await database.migrate(IdempotencyStore.migrations)
        let store = IdempotencyStore(database: database, clock: clock.wall)
        let name = IdempotencyStore.Name(account: "a", route: "r", key: "k")
        let resource = CreatedResource(kind: "mood", id: "m")
        #expect(try await store.claim(name) == .granted(attempt: 1))
        let answer = IdempotencyStore.Answer(text: "{}", fingerprint: "f", resources: [resource])
        try await database.write { tx in try store.keep(answer, name, attempt: 1, tx) }
        // A resource of another account with the same id is a different one.
        let others = try await database.write { tx in try IdempotencyStore.forget(resource, of: "b", tx) }
        #expect(others == 0)
        #expect(try await store.claim(name) == .answered(fingerprint: "f"))
        #expect(try await store.answer(name) == "{}")
        let freed = try await database.write { tx in try IdempotencyStore.forget(resource, of: "a", tx) }
        #expect(freed == 2)
        #expect(try await store.answer(name) == nil)
        try await store.release(name, attempt: 1)
        clock.advance(by: .seconds(60))
        #expect(try await store.claim(name) == .deleted)
        try await database.close()
    }
}

extension TestServer {
    struct StoredAnswers: Equatable, Sendable {
        var keys: Int
        var answers: Int
        /// The number of resources that stored responses name.
        var names: Int
    }

    fileprivate func idempotency() async throws -> StoredAnswers {
        try await backend.database.read { tx in
            let row = try tx.row(
                """
                SELECT (SELECT COUNT(*) FROM idempotency) AS keys, (SELECT COUNT(answer) FROM idempotency) AS answers,
                    (SELECT COUNT(*) FROM idempotency_resource) AS names
                """)!
            return StoredAnswers(keys: try row.get("keys"), answers: try row.get("answers"), names: try row.get("names"))
        }
    }

    /// The number of rows that creations have inserted. Coves and events that have ended do not count, because their rows are deleted
    /// later.
    fileprivate func creationCount() async throws -> Int {
        try await backend.database.read { tx in
            try tx.row(
                """
                SELECT (SELECT COUNT(*) FROM media) + (SELECT COUNT(*) FROM moment) + (SELECT COUNT(*) FROM capsule)
                    + (SELECT COUNT(*) FROM friend_request)
                    + (SELECT COUNT(*) FROM cove WHERE ended_at IS NULL)
                    + (SELECT COUNT(*) FROM cove_member JOIN cove ON cove.id = cove_member.cove WHERE cove.ended_at IS NULL)
                    + (SELECT COUNT(*) FROM cove_invite) + (SELECT COUNT(*) FROM contact)
                    + (SELECT COUNT(*) FROM cove_event WHERE ended_at IS NULL) AS n
                """)!.get("n")
        }
    }

    func sendProfilePicture(_ fixture: String, as person: Person, key: String) async throws -> Answer {
        try await upload(
            .file(fixture, try Fixture.data(fixture)), to: "/api/users/user/\(person.id)/profile-picture/swift", as: person, key: key)
    }
}
