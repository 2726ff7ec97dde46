import Core
import Database
import Foundation
import KeepsakeWire
import Live
import TestKit
import TestThreads
import Testing
import Web

@testable import FeatureTestKit
@testable import keepsake

@Suite("/ws/events", .blocksThreads)
struct StreamEventsTests {
    private func connect(_ server: TestServer, _ query: String = "", as person: TestServer.Person) throws -> WebSocketClient {
        try WebSocketClient(port: server.port, path: "/ws/events\(query)", headers: [person.bearer])
    }

    private func message(_ frame: WebSocketClient.Frame) throws -> LiveMessage {
        try Surface.captures.makeDecoder().decode(LiveMessage.self, from: Data(frame.payload))
    }

    private func upload(_ server: TestServer, _ person: TestServer.Person) async throws {
        let answer = try await server.upload(.file("a.jpg", try Fixture.data("photo.jpg")), as: person)
        #expect(answer.status == 200)
    }

    private func emit(_ numbers: Range<Int>, to person: TestServer.Person, _ server: TestServer) async throws {
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 50) {
            try await server.backend.database.write { tx in
                for number in start..<min(start + 50, numbers.upperBound) {
                    try EventLog(clock: server.clock.wall).emit("test.counted", ["number": number], to: person.id, tx)
                }
            }
        }
    }

    @Test(arguments: StoragePair.allCases)
    func `what was missed comes first, then what happens, in order, as the long poll tells it`(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            for _ in 0..<3 { try await upload(server, ada) }
            let client = try connect(server, "?since=1", as: ada)
            let missed = [try client.nextMessage(), try client.nextMessage()]
            try await upload(server, ada)
            let live = try client.nextMessage()
            let poll = try await server.send("GET", "/events?since=1&wait=0", as: ada)
            let page = try Surface.captures.makeDecoder().decode(EventPage.self, from: poll.body)
            #expect(try (missed + [live]).map(message) == page.items.map { .event($0) })
            #expect(page.items.map(\.seq) == [2, 3, 4])
            let keys = try #require(JSONSerialization.jsonObject(with: Data(live.payload)) as? [String: Any]).keys
            #expect(Set(keys) == ["seq", "type", "at", "data"])
            try client.close()
            #expect(try client.next().closeCode == 1_000)
        }
    }

    @Test(arguments: StoragePair.allCases)
    func `a number that is not in the log is a reset, and what follows is told`(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            try await emit(0..<5, to: ada, server)
            let client = try connect(server, "?since=99", as: ada)
            let frame = try client.nextMessage()
            #expect(frame.text == #"{"type":"reset","seq":5}"#)
            #expect(try message(frame) == .reset(seq: 5))
            try await emit(5..<6, to: ada, server)
            guard case .event(let event) = try message(try client.nextMessage()) else { throw RawConnection.Failure.notHTTP }
            #expect(event.seq == 6 && event.data == .object(["number": .integer(5)]))
        }
    }

    @Test(arguments: StoragePair.allCases)
    func `readers that come and go miss nothing and hear nothing twice`(_ pair: StoragePair) async throws {
        try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let total = 600
            let writing = Task { try await emit(0..<total, to: ada, server) }
            var (random, last, drops) = (SplitMix64(seed: 5), Int64(0), 0)
            while last < total {
                let client = try connect(server, "?since=\(last)", as: ada)
                for _ in 0..<Int.random(in: 1...40, using: &random) where last < total {
                    guard case .event(let event) = try message(try client.nextMessage()) else { throw RawConnection.Failure.notHTTP }
                    #expect(event.seq == last + 1)
                    #expect(event.data == .object(["number": .integer(last)]))
                    last = event.seq
                }
                // Closes the TCP connection without a close frame.
                client.connection.close()
                drops += 1
            }
            try await writing.value
            #expect(drops > 10)
        }
    }

    @Test func `a second node's sockets hear of it, and of a sign-out`() async throws {
        let stores = try TestStores(.postgres, tables: "server")
        let clock = TestClock()
        try await TestServer.run(.postgres, on: stores, clock: clock) { one in
            // This node must learn of events from notifications, so the interval of its periodic checks is one hour.
            let deaf: (inout Settings) -> Void = { settings in
                settings.live.tick = .hours(1)
                settings.sockets.look = .hours(1)
            }
            try await TestServer.run(.postgres, on: stores, clock: clock, deaf) { two in
                let ada = try await one.person()
                let client = try connect(two, "?since=0", as: ada)
                try await eventually { two.backend.hub.counts.waiting == 1 }
                try await upload(one, ada)
                #expect(try message(try client.nextMessage()).seq == 1)
                let answer = try await one.send("POST", "/auth/signout", as: ada)
                #expect(answer.status == 200, "\(answer.text)")
                #expect(try client.nextClose().closeCode == 1_008)
            }
        }
    }

    @Test(arguments: StoragePair.allCases)
    func `a socket is closed soon after its session has ended, however that came, and outlives its access token`(_ pair: StoragePair)
        async throws
    {
        try await TestServer.run(pair) { server in
            let (ada, tablet, eve) = (try await server.person(), try await server.person(), try await server.person("eve"))
            let (phone, other, hers) = (try connect(server, as: ada), try connect(server, as: tablet), try connect(server, as: eve))
            _ = try await server.send("POST", "/auth/signout", as: ada)
            let close = try phone.nextClose()
            #expect(close.closeCode == 1_008 && close.closeReason == "The session has ended.")
            #expect(throws: WebSocketClient.Refused.self) { try connect(server, as: ada) }
            server.clock.advance(by: .hours(3))
            // There is no notification of this change, so only the periodic check can find it.
            _ = try await server.backend.database.write { tx in try tx.run("DELETE FROM account WHERE id = \(eve.id)") }
            let began = ContinuousClock.now
            #expect(try hers.nextClose().closeCode == 1_008)
            // The check runs every four seconds.
            #expect(ContinuousClock.now - began < .seconds(20))
            // The check included the other socket: although its access token has expired, it stays open.
            #expect(throws: WebSocketClient.Refused.self) { try connect(server, as: tablet) }
            try await emit(0..<1, to: tablet, server)
            #expect(try message(try other.nextMessage()).seq == 1)
            try other.close()
            #expect(try other.nextClose().closeCode == 1_000)
        }
    }

    @Test func `messages are refused, and too many sockets`() async throws {
        try await TestServer.run(.sqlite) { server in
            let ada = try await server.person()
            let client = try connect(server, as: ada)
            try client.send("hello?")
            #expect(try client.nextClose().closeCode == 1_003)
            client.connection.close()
            let sockets = try (0..<20).map { _ in try connect(server, "?since=0", as: ada) }
            try await eventually { server.backend.hub.counts.subscriptions == 20 }
            let refused = try connect(server, as: ada)
            let close = try refused.nextClose()
            refused.connection.close()
            #expect(close.closeCode == 1_013 && !close.closeReason.isEmpty)
            try await eventually { try await server.send("GET", "/metrics").text.contains("keepsake_sockets 20\n") }
            let metrics = try await server.send("GET", "/metrics").text
            #expect(metrics.contains(#"keepsake_sockets_ended_total{by="1003"} 1"#))
            withExtendedLifetime(sockets) {}
        }
    }

    @Test(arguments: StoragePair.allCases)
    func `a server that stops says 1012, and does not take ten seconds over it`(_ pair: StoragePair) async throws {
        let began = ContinuousClock.now
        let closing = try await TestServer.run(pair) { server in
            let ada = try await server.person()
            let clients = try (0..<10).map { _ in try connect(server, "?since=0", as: ada) }
            return Task.detached(executorPreference: BlockingThreads.shared) { try clients.map { try $0.nextClose().closeCode } }
        }
        #expect(try await closing.value == [Int?](repeating: 1_012, count: 10))
        #expect(ContinuousClock.now - began < .seconds(9))
    }
}

extension LiveMessage {
    fileprivate var seq: Int64 {
        switch self {
        case .event(let event): event.seq
        case .reset(let seq): seq
        }
    }
}
