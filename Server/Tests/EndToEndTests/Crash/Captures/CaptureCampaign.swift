import Database
import DatabaseEngines
import Foundation
import Synchronization
import TestKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Kills the server while a client sends captures, and starts it again. Every acknowledged capture must be there, and each must be
/// processed once.
struct CaptureCampaign {
    /// A running server: its port and its process.
    typealias Node = (port: Int, processID: Int32, end: () -> Void)

    /// Starts the server on the campaign's database.
    let start: () async throws -> Node
    /// In the format of `KEEPSAKE_DATABASE`.
    let database: String
    let people: [CampaignPerson]
    private(set) var report = Report()
    private var acknowledged: [String: Set<String>] = [:]

    struct Report: CustomStringConvertible {
        var kills = 0
        var sent = 0
        var acknowledged = 0
        var lost = 0
        /// Captures that were stored although the server was killed before its acknowledgement.
        var unacknowledged = 0
        /// Captures that are not processed, and captures that more than one event reported as processed.
        var unprocessed = 0
        var repeated = 0
        /// Contacts whose count of captures is wrong.
        var miscounted = 0
        var refused: [String] = []

        var description: String {
            """
            \(kills) kills, \(sent) captures sent, \(acknowledged) acknowledged, \(unacknowledged) stored without; \(lost) lost, \
            \(unprocessed) not processed, \(repeated) processed more than once, \(miscounted) contacts miscounted
            """
        }
    }

    init(database: String, people: [CampaignPerson], start: @escaping () async throws -> Node) {
        self.database = database
        self.people = people
        self.start = start
    }

    mutating func run(kills: Int, progress: (Int) -> Void = { _ in }) async throws {
        for _ in 1...kills {
            let round = report.kills + 1
            let node = try await start()
            let person = people[round % people.count]
            try load(node, person, round)
            node.end()
            report.kills += 1
            progress(round)
        }
        report.acknowledged = acknowledged.values.reduce(0) { $0 + $1.count }
    }

    /// Sends captures in bursts, as a phone with a backlog does, until the server is killed.
    private mutating func load(_ node: Node, _ person: CampaignPerson, _ round: Int) throws {
        let client = try WebSocketClient(
            port: node.port, path: "/ws/ios/\(person.id)", headers: [("Authorization", "Bearer \(person.token)")])
        defer { client.connection.close() }
        let delay = Double.random(in: 0.005...0.06)
        let processID = node.processID
        let killer = Thread {
            Thread.sleep(forTimeInterval: delay)
            kill(processID, SIGKILL)
        }
        killer.start()
        do {
            // With more captures, the full form would exceed the number of events that the event log keeps for one account.
            for burst in 0..<12 {
                for number in 0..<10 {
                    let id = "r\(round)-\(burst)-\(number)"
                    try client.send(
                        #"{"type":"memory_capture","id":"\#(id)","timestamp":"2026-05-01T08:00:00Z","transcription":"Just met with John, \#(id)."}"#
                    )
                    report.sent += 1
                }
                var answers = 0
                while answers < 10 {
                    let frame = try client.nextMessage()
                    let message = try JSONSerialization.jsonObject(with: Data(frame.payload)) as? [String: Any] ?? [:]
                    if message["type"] as? String == "memory_processed" { continue }
                    answers += 1
                    if message["type"] as? String == "ack", let id = message["captureId"] as? String {
                        acknowledged[person.id, default: []].insert(id)
                    } else {
                        report.refused.append(frame.text)
                    }
                }
            }
            // Reads on until the kill, which may also interrupt the processing.
            while true { _ = try client.nextMessage() }
        } catch is RawConnection.Failure {
            // The server was killed.
        }
    }

    /// Counts the acknowledged captures that are missing, while the server is down.
    mutating func compare() async throws {
        let database = try await DatabaseAddress(self.database)!.open(connections: 2)
        report.lost = 0
        for person in people {
            let ids = try await database.read { tx in
                Set(try tx.rows("SELECT id FROM capture WHERE owner = \(person.id)").map { try $0.get("id", as: String.self) })
            }
            report.lost += (acknowledged[person.id] ?? []).subtracting(ids).count
        }
        try await database.close()
    }

    /// Waits until everything is processed, and compares.
    mutating func finish() async throws {
        let node = try await start()
        defer { node.end() }
        let database = try await DatabaseAddress(self.database)!.open(connections: 2)
        let deadline = ContinuousClock.now + .seconds(600)
        while ContinuousClock.now < deadline {
            // A parked job waits for an operator; its capture counts as unprocessed.
            let waiting = try await database.read { tx in
                try tx.rows(
                    """
                    SELECT id FROM job
                    WHERE kind IN ('captures/analyse', 'captures/analyse-picture', 'captures/file', 'captures/transcribe')
                        AND state <> 'parked' LIMIT 1
                    """
                ).count
            }
            if waiting == 0 { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        for person in people {
            let (stored, told, contacts) = try await database.read { tx in
                (
                    try tx.rows("SELECT id, status FROM capture WHERE owner = \(person.id)").map {
                        (try $0.get("id", as: String.self), try $0.get("status", as: String.self))
                    },
                    try tx.rows("SELECT payload FROM event WHERE account = \(person.id) AND kind = 'capture.processed'").map {
                        try $0.get("payload", as: String.self)
                    },
                    try tx.rows("SELECT mention_count FROM contact WHERE owner = \(person.id)").map {
                        try $0.get("mention_count", as: Int64.self)
                    }
                )
            }
            let ids = Set(stored.map(\.0))
            let mine = acknowledged[person.id] ?? []
            report.lost += mine.subtracting(ids).count
            report.unacknowledged += ids.subtracting(mine).count
            report.unprocessed += stored.count { $0.1 != "processed" }
            report.unprocessed += ids.count { id in !told.contains { $0.contains("\"\(id)\"") } }
            report.repeated += told.count - Set(told).count
            report.miscounted += contacts.count { $0 != Int64(ids.count) }
        }
        try await database.close()
    }
}
