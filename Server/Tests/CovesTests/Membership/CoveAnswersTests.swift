import Core
import Database
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Coves
@testable import FeatureTestKit
@testable import Web
@testable import keepsake

@Suite("Stored responses after a cove has ended")
struct CoveAnswersTests {
    private struct Request: Sendable {
        let path: String
        let body: @Sendable () -> [String: Any]
        let person: TestServer.Person

        func send(_ home: EventHome, key: String) async throws -> TestServer.Answer {
            try await home.post(path, body(), as: person, key: key)
        }
    }

    /// Requests of Max and Bob whose stored responses are about the cove.
    private func requests(_ home: EventHome, as max: TestServer.Person) -> [Request] {
        let cove = home.cove
        func event(_ name: String) -> @Sendable () -> [String: Any] {
            { ["coveId": cove, "name": name, "date": "2026-06-24T18:03:11.482Z", "location": "Garden"] }
        }
        return [
            Request(path: "/join-cove", body: { ["coveId": cove] }, person: max),
            Request(path: "/create-event", body: event("Party"), person: home.bob),
            Request(path: "/create-event", body: event("Walk"), person: home.bob),
            Request(path: "/send-invite", body: { ["coveId": cove, "phoneNumbers": ["+14155552671"]] }, person: home.bob),
        ]
    }

    private func answers(_ home: EventHome, of people: [TestServer.Person]) async throws -> Int {
        let ids = people.map(\.id)
        return try await home.server.backend.database.read { tx in
            try tx.row("SELECT COUNT(answer) AS n FROM idempotency WHERE account IN (\(sql: .list(ids)))")!.get("n")
        }
    }

    @Test("when the creator deletes the cove, the responses to all members go along, and retries are 410", arguments: StoragePair.allCases)
    func deleted(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            try await home.setRole("ADMIN", of: home.bob)
            let max = try await home.person("max")
            let requests = requests(home, as: max)
            for (number, request) in requests.enumerated() {
                let answer = try await request.send(home, key: "k\(number)")
                try #require(answer.status == 200, "\(request.path): \(answer.text)")
            }
            // A stored response about another cove stays.
            let other = try await home.post("/create-cove", ["name": "Other", "location": "There"], as: home.ada, key: "other")
            try #require(other.status == 200, "\(other.text)")
            #expect(try await answers(home, of: [home.bob, max]) == requests.count)
            let ended = try await home.post("/delete-cove", ["coveId": home.cove], as: home.ada)
            #expect(ended.status == 200, "\(ended.text)")
            // A job deletes the response about the invitation.
            try await eventually { try await answers(home, of: [home.bob, max]) == 0 }
            for (number, request) in requests.enumerated() {
                let retry = try await request.send(home, key: "k\(number)")
                #expect(retry.status == 410, "\(request.path): \(retry.status) \(retry.text)")
            }
            let repeated = try await home.post("/create-cove", ["name": "Other", "location": "There"], as: home.ada, key: "other")
            #expect(repeated.status == 200 && repeated.body == other.body)
            for person in [home.ada, home.bob, max] { _ = try await home.server.checkedUsage(of: person) }
        }
    }

    @Test(
        "when the creator's account is deleted, jobs delete the responses to the other members, and their cover",
        arguments: StoragePair.allCases)
    func closed(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            try await home.setRole("ADMIN", of: home.bob)
            let max = try await home.person("max")
            let requests = requests(home, as: max)
            for (number, request) in requests.enumerated() {
                try #require(try await request.send(home, key: "k\(number)").status == 200)
            }
            let photo = try Fixture.data("photo.jpg").base64EncodedString()
            #expect(try await home.post("/edit-cove", ["coveId": home.cove, "coverPhoto": photo], as: home.bob).status == 200)
            #expect(try await home.server.checkedUsage(of: home.bob).files == 1)
            try await home.close(home.ada, keepCoves: false)
            try await eventually { try await answers(home, of: [home.bob, max]) == 0 }
            try await eventually { try await home.server.checkedUsage(of: home.bob).files == 0 }
            for (number, request) in requests.enumerated() {
                #expect(try await request.send(home, key: "k\(number)").status == 410, "\(request.path)")
            }
            for person in [home.bob, max] { _ = try await home.server.checkedUsage(of: person) }
        }
    }

    @Test("a write deletes at most 200 of them, and a job deletes the others", arguments: StoragePair.allCases)
    func many(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            let (cove, bob, now) = (home.cove, home.bob.id, home.server.clock.now)
            let count = CoveStore.answerCount * 2 + 7
            let events = (0..<count).map { CoveEvent.resource("event-\($0)") }
            try await home.server.backend.database.write { tx in
                for event in events {
                    try tx.run(
                        """
                        INSERT INTO cove_event (id, cove, host, name, date, location, created_at, changed_at, row_bytes)
                        VALUES (\(event.id), \(cove), \(bob), 'Party', \(now), 'Garden', \(now), \(now), 0)
                        """)
                }
            }
            try await keepAnswers(home, about: events, of: bob)
            #expect(try await answers(home, of: [home.bob]) == count)
            let store = home.server.backend.features[CovesFeature.self].store
            let forgotten = try await home.server.backend.database.write { tx in
                try store.forgetAnswers(about: cove, creator: nil, tx).count
            }
            #expect(forgotten == CoveStore.answerCount)
            let ended = try await home.post("/delete-cove", ["coveId": cove], as: home.ada)
            #expect(ended.status == 200, "\(ended.text)")
            try await eventually { try await answers(home, of: [home.bob]) == 0 }
        }
    }

    @Test("a write deletes at most 200 of them also if all describe the cove itself", arguments: StoragePair.allCases, [false, true])
    func manyAboutOne(_ pair: StoragePair, _ areTheCreators: Bool) async throws {
        try await EventHome.run(pair) { home in
            try await home.setRole("ADMIN", of: home.bob)
            let (cove, person) = (home.cove, areTheCreators ? home.ada : home.bob)
            let count = CoveStore.answerCount * 2 + 7
            let resource = CreatedResource(kind: Cove.kind, id: cove)
            try await keepAnswers(home, about: [CreatedResource](repeating: resource, count: count), of: person.id)
            let store = home.server.backend.features[CovesFeature.self].store
            let (before, creator) = (try await answers(home, of: [person]), areTheCreators ? person.id : nil)
            let forgotten = try await home.server.backend.database.write { tx in
                try store.forgetAnswers(about: cove, creator: creator, tx).count
            }
            #expect(forgotten == CoveStore.answerCount)
            #expect(try await answers(home, of: [person]) == before - CoveStore.answerCount)
            let ended = try await home.post("/delete-cove", ["coveId": cove], as: home.ada)
            #expect(ended.status == 200, "\(ended.text)")
            try await eventually { try await answers(home, of: [person]) == 0 }
        }
    }

    @Test("the write that ends a cove reads no invitations: a job deletes their responses with them", arguments: StoragePair.allCases)
    func invitations(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            try await home.setRole("ADMIN", of: home.bob)
            let body: [String: Any] = ["coveId": home.cove, "phoneNumbers": ["+14155552671"]]
            #expect(try await home.post("/send-invite", body, as: home.bob, key: "k").status == 200)
            let (cove, store) = (home.cove, home.server.backend.features[CovesFeature.self].store)
            let forgotten = try await home.server.backend.database.write { tx in
                try store.forgetAnswers(about: cove, creator: nil, tx).count
            }
            #expect(forgotten == 0)
            #expect(try await answers(home, of: [home.bob]) == 1)
            #expect(try await home.post("/delete-cove", ["coveId": cove], as: home.ada).status == 200)
            try await eventually { try await answers(home, of: [home.bob]) == 0 }
            #expect(try await home.post("/send-invite", body, as: home.bob, key: "k").status == 410)
            _ = try await home.server.checkedUsage(of: home.bob)
        }
    }

    @Test("a request that sends no invitation stores no response, and its key is free", arguments: StoragePair.allCases)
    func nothing(_ pair: StoragePair) async throws {
        try await EventHome.run(pair) { home in
            for key in ["k1", "k2", "k1"] {
                let body: [String: Any] = ["coveId": home.cove, "phoneNumbers": ["x"]]
                let answer = try await home.post("/send-invite", body, as: home.ada, key: key)
                #expect(answer.status == 200 && answer.header("Idempotency-Replayed") == nil, "\(answer.text)")
            }
            let keys: Int = try await home.server.backend.database.read { tx in
                try tx.row("SELECT COUNT(*) AS n FROM idempotency WHERE route = 'POST /send-invite'")!.get("n")
            }
            #expect(keys == 0)
        }
    }

    /// Stores a response about each resource.
    private func keepAnswers(_ home: EventHome, about resources: [CreatedResource], of account: String) async throws {
        let now = home.server.clock.now
        try await home.server.backend.database.write { tx in
            for (number, resource) in resources.enumerated() {
                let name = IdempotencyStore.Name(account: account, route: "POST /tested", key: "stored-\(number)")
                try tx.run(
                    """
                    INSERT INTO idempotency (account, route, key, attempt, lease_until, fingerprint, answer, created_at, row_bytes,
                        resources_left)
                    VALUES (\(name.account), \(name.route), \(name.key), 1, \(now), 'f', '{}', \(now), 0, 1)
                    """)
                try tx.run(IdempotencyStore.insert(resource, name))
            }
        }
    }

    @Test("the responses are found by indexes", arguments: StoragePair.allCases)
    func plans(_ pair: StoragePair) async throws {
        try await TestServer.run(pair, tables: nil) { server in
            let now = server.clock.now
            for (kind, made) in [
                (CoveMember.kind, CoveStore.newMembers(of: "c", since: now)), (Cove.kind, CoveStore.admins(of: "c")),
                (Cove.kind, CoveStore.created("c", by: "a")), (CoveEvent.kind, EventStore.hosts(ofEventsIn: "c")),
            ] {
                let plan = try await QueryPlan(IdempotencyStore.answers(to: kind, made: made, limit: 10), on: server.backend.database)
                #expect(!plan.steps.isEmpty && plan.faults.isEmpty, "\(plan)")
            }
        }
    }
}
