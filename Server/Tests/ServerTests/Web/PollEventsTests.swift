import Core
import Database
import Foundation
import KeepsakeWire
import Live
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import Web
@testable import keepsake

@Suite("GET /events", .blocksThreads)
struct PollEventsTests {
    private func poll(_ server: TestServer, _ query: String, as person: TestServer.Person) async throws -> EventPage {
        let answer = try await server.send("GET", "/events?\(query)", as: person)
        #expect(answer.status == 200, "\(answer.text)")
        return try Surface.captures.makeDecoder().decode(EventPage.self, from: answer.body)
    }

    private func upload(_ server: TestServer, _ person: TestServer.Person) async throws -> String {
        let answer = try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg")), as: person)
        return try answer.decode(UploadResponse.self).files[0].data.fileId
    }

    @Test(
        "additions, changes and deletions become events in order, numbered without gaps, for their owner alone",
        arguments: StoragePair.allCases)
    func told(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let (ada, eve) = (try await server.person(), try await server.person("eve"))
            let id = try await upload(server, ada)
            let path = "/api/users/user/\(ada.id)/multimedia/\(id)"
            _ = try await server.send(
                "PATCH", path, as: ada, headers: [("Content-Type", "application/json")], body: Data(#"{"category":"mood"}"#.utf8))
            _ = try await server.send("DELETE", path, as: ada)
            let page = try await poll(server, "since=0&wait=0", as: ada)
            #expect(page.items.map(\.type) == ["media.added", "media.changed", "media.deleted"])
            #expect(page.items.map(\.seq) == [1, 2, 3] && page.seq == 3 && !page.reset)
            #expect(page.items[1].data == .object(["id": .string(id), "category": .string("mood")]))
            #expect(page.items[0].at == Date(timeIntervalSince1970: 1_780_315_200))
            #expect(try await poll(server, "since=1&limit=1&wait=0", as: ada).items.map(\.seq) == [2])
            #expect(try await poll(server, "since=0&wait=0", as: eve) == EventPage(items: [], seq: 0, reset: false))
        }
    }

    @Test("a waiting poll is answered as soon as an event occurs", arguments: StoragePair.allCases)
    func waits(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            async let waiting = poll(server, "since=0", as: ada)
            try await eventually { server.backend.hub.counts.waiting == 1 }
            let began = ContinuousClock.now
            _ = try await upload(server, ada)
            #expect(try await waiting.items.map(\.type) == ["media.added"])
            // The server responds to a poll without an event after 25 s.
            #expect(ContinuousClock.now - began < .seconds(15))
        }
    }

    @Test(
        "a client that closes only its sending side gets the response: events that exist, or no events at once",
        arguments: StoragePair.allCases)
    func halfClosed(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            _ = try await upload(server, ada)
            for (since, type) in [(0, "media.added"), (1, nil)] {
                let client = try RawConnection(port: server.port)
                try client.send("GET /events?since=\(since) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(ada.token)\r\n\r\n")
                client.endSending()
                let began = ContinuousClock.now
                let answer = try client.answer()
                #expect(answer.status == 200, "\(answer.text)")
                let page = try Surface.captures.makeDecoder().decode(EventPage.self, from: Data(answer.body))
                #expect(page.items.map(\.type) == [type].compactMap(\.self) && page.seq == 1 && !page.reset)
                #expect(ContinuousClock.now - began < .seconds(15))
            }
        }
    }

    @Test("a poll ends when its client disconnects")
    func disconnected() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let client = try RawConnection(port: server.port)
            try client.send("GET /events?since=0 HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(ada.token)\r\n\r\n")
            try await eventually { server.backend.hub.counts.waiting == 1 }
            let began = ContinuousClock.now
            client.close()
            try await eventually { server.backend.hub.counts.subscriptions == 0 }
            // Without a client, the poll would wait for 25 s.
            #expect(ContinuousClock.now - began < .seconds(15))
        }
    }

    @Test("a poll on one node receives events from another")
    func nodes() async throws {
        let stores = try TestStores(.postgres, tables: "server")
        let clock = TestClock()
        try await TestServer.run(.postgres, on: stores, clock: clock) { one in
            // This node must learn of the event from a notification, so the interval of its periodic check is one hour.
            try await TestServer.run(.postgres, on: stores, clock: clock, { $0.live.tick = .hours(1) }) { two in
                let ada = try await one.person()
                async let waiting = poll(two, "since=0", as: ada)
                try await eventually { two.backend.hub.counts.waiting == 1 }
                _ = try await upload(one, ada)
                #expect(try await waiting.items.count == 1)
            }
        }
    }

    @Test("an event number that is no longer known, or never was, is answered with a reset", arguments: StoragePair.allCases)
    func reset(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            _ = try await upload(server, ada)
            #expect(try await poll(server, "since=99&wait=0", as: ada) == EventPage(items: [], seq: 1, reset: true))
        }
    }

    @Test("a refused upload causes no event", arguments: StoragePair.allCases)
    func refused(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            _ = try await server.upload(.file("a.jpg", Data("none".utf8)), as: ada)
            #expect(try await poll(server, "since=0&wait=0", as: ada).items.isEmpty)
        }
    }

    @Test("invalid values are 400, the error names them, and a poll needs a credential", arguments: StoragePair.allCases)
    func bad(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for (query, field) in [
                ("since=-1", "since"), ("since=x", "since"), ("limit=0", "limit"), ("limit=101", "limit"), ("wait=26", "wait"),
                ("wait=-1", "wait"), ("since=99999999999999999999", "since"),
            ] {
                let answer = try await server.send("GET", "/events?\(query)", as: ada)
                #expect(answer.status == 400 && answer.text.contains(field), "\(query) \(answer.text)")
            }
            #expect(try await server.send("GET", "/events?since=0").status == 401)
        }
    }

    @Test("a server that stops answers waiting polls at once", arguments: StoragePair.allCases)
    func stops(_ pair: StoragePair) async throws {
        let began = ContinuousClock.now
        let waiting = try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let waiting = Task { try await server.send("GET", "/events?since=0", as: ada).status }
            try await eventually { server.backend.hub.counts.waiting == 1 }
            return waiting
        }
        #expect(try await waiting.value == 200)
        #expect(ContinuousClock.now - began < .seconds(20))
    }
}
