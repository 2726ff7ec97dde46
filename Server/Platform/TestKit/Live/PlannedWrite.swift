internal import Core
package import Database
internal import Live

/// One write of the campaign. Its emitter and number determine what it does, so the events of a killed process can be verified, too.
package struct PlannedWrite: Sendable, Hashable {
    package struct ID: Sendable, Hashable {
        package let emitter: Int
        package let number: Int

        package init(emitter: Int, number: Int) {
            self.emitter = emitter
            self.number = number
        }
    }

    /// One event of a write.
    package struct Part: Sendable, Hashable {
        package let account: String
        /// The event's index among the write's events for this account, from 0.
        let index: Int
    }

    /// An event's payload in the log.
    struct Mark: Codable, Hashable {
        let emitter: Int
        let number: Int
        let index: Int
        /// When the write was started, in nanoseconds of the machine's clock.
        let sent: Int64
        let filler: String
    }

    struct Refusal: Error {}

    package let id: ID
    /// In the order in which they are emitted.
    package let parts: [Part]
    /// Whether the write throws at its end, so that none of its events may ever be seen.
    package let isRefused: Bool

    package init(emitter: Int, number: Int, accounts: Int) {
        id = ID(emitter: emitter, number: number)
        var random = SplitMix64(seed: UInt64(emitter) << 32 | UInt64(number))
        isRefused = random.next() % 8 == 0
        // Most writes go to one account, some to several, in any order.
        let targets = random.next() % 4 == 0 ? (0..<min(3, accounts)).map { _ in random.next() } : [random.next()]
        var parts: [Part] = []
        for target in targets {
            let account = Self.account(Int(target % UInt64(accounts)))
            let known = parts.filter { $0.account == account }.count
            let count = random.next() % 16 == 0 ? Int(random.next() % 20) + 1 : 1
            for index in known..<(known + count) { parts.append(Part(account: account, index: index)) }
        }
        self.parts = parts
    }

    package static func account(_ number: Int) -> String { "account-\(number)" }

    func filler(_ index: Int) -> String { String(repeating: "·", count: (id.emitter * 31 + id.number * 7 + index) % 120) }

    /// - Returns: true when the write committed; false when it was rolled back, as planned or by a busy engine; `nil` when the outcome is
    ///   unknown.
    package func run(_ database: any Database, _ numbering: Numbering) async throws -> Bool? {
        let log = EventLog(clock: .system)
        let sent = MachineTime.now
        let kind: Event.Kind = "test.campaign"
        do {
            switch numbering {
            case .last:
                try await database.write { tx in
                    for part in parts { try log.emit(kind, mark(part, sent), to: part.account, tx) }
                    if isRefused { throw Refusal() }
                }
            case .ahead:
                try await NumberedAhead.run(self, kind, database, sent)
            }
            return true
        } catch is Refusal {
            return false
        } catch DatabaseError.busy, DatabaseError.unavailable {
            return false
        } catch DatabaseError.unclear {
            return nil
        }
    }

    /// The payloads that the log must hold for this write, in the order of their numbers.
    package func payloads() throws -> [(account: String, payload: String)] {
        try parts.map { ($0.account, String(decoding: try JSON.encode(mark($0, 0)), as: UTF8.self)) }
    }

    func mark(_ part: Part, _ sent: Int64) -> Mark {
        Mark(emitter: id.emitter, number: id.number, index: part.index, sent: sent, filler: filler(part.index))
    }

    package enum Numbering: Sendable {
        /// The write's last statements take the numbers, as the event log does.
        case last
        /// Numbers are taken before the write, as from a sequence: the campaign must then report faults.
        case ahead
    }
}

/// A wrong implementation, as a control: takes numbers outside the write that uses them, as a sequence does. Other writes commit higher
/// numbers first, and a write that rolls back leaves its numbers unused.
private enum NumberedAhead {
    static func run(_ write: PlannedWrite, _ kind: Event.Kind, _ database: any Database, _ sent: Int64) async throws {
        for part in write.parts {
            let seq = try await database.write { tx in
                try tx.row(
                    """
                    INSERT INTO event_head (account, seq, at) VALUES (\(part.account), 1, 0)
                    ON CONFLICT (account) DO UPDATE SET seq = event_head.seq + 1 RETURNING seq
                    """)?.get("seq", as: Int64.self)
            }
            let payload = try String(decoding: JSON.encode(write.mark(part, sent)), as: UTF8.self)
            try await database.write { tx in
                try tx.run(
                    """
                    INSERT INTO event (account, seq, at, kind, payload)
                    VALUES (\(part.account), \(seq ?? 0), 0, \(kind.name), \(payload))
                    """)
                tx.wake(Wake("events", part.account))
                if write.isRefused { throw PlannedWrite.Refusal() }
            }
        }
    }
}
