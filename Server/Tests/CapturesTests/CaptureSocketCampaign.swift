import Core
import Database
import Foundation
import Live
import Synchronization
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Live
@testable import keepsake

/// Sockets of `/ws/ios/{user}` on two nodes, which are dropped again and again and reconnect with the number that they saw last.
struct CaptureSocketCampaign: Sendable {
    struct Scale: Sendable {
        var accounts = 4
        /// The sockets of all accounts together, at most 20 for each account.
        var sockets = 40
        /// How often each socket is dropped.
        var drops = 10
        /// Captures of each account.
        var captures = 60
        /// How long a socket waits for a message before the message counts as missed, in seconds.
        var patience = 30
        /// `false` turns off the hub's check for consecutive numbers, as a control.
        var insists = true
        /// Whether numbers are taken before the write that uses them, as a control.
        var isNumberedAhead = false
    }

    struct Report: Sendable, CustomStringConvertible {
        var drops = 0
        var deliveries = 0
        var missed = 0
        var doubled = 0
        var disordered = 0
        var resets = 0

        var description: String {
            "\(drops) drops, \(deliveries) deliveries; \(missed) missed, \(doubled) doubled, \(disordered) out of order, \(resets) resets"
        }
    }

    let scale: Scale

    /// What one socket has received.
    private struct Received {
        var captures: Set<String> = []
        var last: Int64 = 0
        var report = Report()
    }

    func run() async throws -> Report {
        let stores = try TestStores(.postgres)
        let change: @Sendable (inout Settings) -> Void = { [scale] settings in
            settings.live.insists = scale.insists
            settings.live.tick = .milliseconds(500)
            // A socket that was dropped may still be open on this node when its successor connects.
            settings.live.subscriptionsPerAccount = 100
            settings.databaseConnections = 8
        }
        return try await TestServer.run(.postgres, on: stores, change) { one in
            try await TestServer.run(.postgres, on: stores, change) { two in
                var people: [TestServer.Person] = []
                for number in 0..<scale.accounts { people.append(try await one.person("ada\(number)")) }
                return try await run(people, [one, two])
            }
        }
    }

    private func run(_ people: [TestServer.Person], _ nodes: [TestServer]) async throws -> Report {
        try await withThrowingTaskGroup(of: Report.self) { group in
            for person in people {
                group.addTask {
                    try await write(person, nodes)
                    return Report()
                }
            }
            for number in 0..<scale.sockets {
                let person = people[number % people.count]
                group.addTask { try follow(person, nodes, seed: UInt64(number)) }
            }
            var whole = Report()
            for try await report in group {
                whole.drops += report.drops
                whole.deliveries += report.deliveries
                whole.missed += report.missed
                whole.doubled += report.doubled
                whole.disordered += report.disordered
                whole.resets += report.resets
            }
            return whole
        }
    }

    // MARK: Captures

    private func write(_ person: TestServer.Person, _ nodes: [TestServer]) async throws {
        guard !scale.isNumberedAhead else { return try await writeAhead(person, nodes[0]) }
        let client = try CaptureClient(nodes[0], person)
        for number in 0..<scale.captures {
            let ack = try client.take("c\(number)", at: "2026-05-01T08:00:00Z", "Number \(number).")
            guard ack["type"] as? String == "ack" else { throw RawConnection.Failure.notHTTP }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Emits the events that processing emits, but takes their numbers in a separate write, so a socket can see a later number before an
    /// earlier one.
    private func writeAhead(_ person: TestServer.Person, _ node: TestServer) async throws {
        let database = node.backend.database
        let count = scale.captures
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for number in stride(from: worker, to: count, by: 4) {
                        let seq = try await database.write { tx in
                            try tx.run(EventLog.takeNumbers(1, person.id, now: node.clock.now))
                            return try EventLog.head(person.id, tx)
                        }
                        try await Task.sleep(for: .milliseconds(.random(in: 0...30)))
                        try await database.write { tx in
                            try tx.run(
                                """
                                INSERT INTO event (account, seq, at, kind, payload)
                                VALUES (\(person.id), \(seq), \(node.clock.now), 'capture.processed',
                                    \(#"{"date":"2026-05-01","id":"c\#(number)"}"#))
                                """)
                            tx.wake(Wake("events", person.id))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: Sockets

    private func follow(_ person: TestServer.Person, _ nodes: [TestServer], seed: UInt64) throws -> Report {
        var random = SplitMix64(seed: seed)
        var received = Received()
        let share = max(1, scale.captures / (scale.drops + 1))
        while received.captures.count < scale.captures {
            let node = nodes[Int.random(in: 0..<nodes.count, using: &random)]
            let socket = try WebSocketClient(
                port: node.port, path: "/ws/ios/\(person.id)?since=\(received.last)", headers: [person.bearer], timeout: scale.patience)
            defer { socket.connection.close() }
            let isLast = received.report.drops >= scale.drops
            let count = isLast ? Int.max : Int.random(in: 1...2 * share, using: &random)
            guard try listen(socket, upTo: count, &received) else { break }
            if !isLast, received.captures.count < scale.captures { received.report.drops += 1 }
        }
        received.report.missed = scale.captures - received.captures.count
        return received.report
    }

    /// - Returns: `false` when nothing came in time.
    private func listen(_ socket: WebSocketClient, upTo count: Int, _ received: inout Received) throws -> Bool {
        var left = count
        while left > 0, received.captures.count < scale.captures {
            let frame: WebSocketClient.Frame
            do {
                frame = try socket.nextMessage()
            } catch RawConnection.Failure.timedOut {
                return false
            }
            let message = try JSONSerialization.jsonObject(with: Data(frame.payload)) as? [String: Any] ?? [:]
            guard let seq = message["seq"] as? Int else { throw RawConnection.Failure.notHTTP }
            if message["type"] as? String == "reset" {
                received.report.resets += 1
            } else if let id = message["captureId"] as? String {
                if !received.captures.insert(id).inserted { received.report.doubled += 1 }
                if Int64(seq) <= received.last { received.report.disordered += 1 }
                received.report.deliveries += 1
                left -= 1
            }
            received.last = max(received.last, Int64(seq))
        }
        return true
    }
}
