package import Core
package import Database
internal import Foundation

/// What happened to each account, numbered. The write that makes something happen says so with `emit`, and one does not exist
/// without the other.
package struct EventLog: Sendable {
    /// UTF-8 bytes of JSON; an event says what changed, it does not carry it.
    package static let payloadLimit = 65_536

    private let clock: WallClock

    package init(clock: WallClock) { self.clock = clock }

    package static let migrations = [
        Migration(
            "live/001-event",
            [
                // The number given out last. `at` is that of the event with that number, and never goes back.
                """
                CREATE TABLE event_head (
                    account TEXT COLLATE "C" NOT NULL PRIMARY KEY,
                    seq BIGINT NOT NULL,
                    at BIGINT NOT NULL,
                    CONSTRAINT event_head_seq CHECK (seq > 0)
                )
                """,
                """
                CREATE TABLE event (
                    account TEXT COLLATE "C" NOT NULL,
                    seq BIGINT NOT NULL,
                    at BIGINT NOT NULL,
                    kind TEXT COLLATE "C" NOT NULL,
                    payload TEXT NOT NULL,
                    PRIMARY KEY (account, seq),
                    CONSTRAINT event_seq CHECK (seq > 0),
                    CONSTRAINT event_kind CHECK (length(kind) BETWEEN 1 AND 64),
                    CONSTRAINT event_payload CHECK (length(payload) BETWEEN 1 AND 65536)
                )
                """,
                // For retention. The whole key in the order it is read: a batch of the oldest is a run of this index.
                "CREATE INDEX event_by_age ON event (at, account, seq)",
            ])
    ]

    /// Says that something happened to `account`. Written by the last statements of this write, in the order of the calls; whoever
    /// listens hears it once the write is durable.
    ///
    /// - Parameter payload: what other rooms and devices need to know, encoded as JSON with its keys sorted; at most 64 KB.
    /// - Throws: `LiveError.payloadTooLarge`; what the encoding throws.
    package func emit(_ kind: Event.Kind, _ payload: some Encodable, to account: String, _ tx: WriteTransaction) throws {
        try emit(kind, payload, to: CollectionOfOne(account), tx)
    }

    /// Says it to each of `accounts`. For tens of them: a write holds each one's place in its log until it has committed. A larger
    /// fan-out is a job.
    package func emit(_ kind: Event.Kind, _ payload: some Encodable, to accounts: some Sequence<String>, _ tx: WriteTransaction) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = try encoder.encode(payload)
        guard bytes.count <= Self.payloadLimit else { throw LiveError.payloadTooLarge(byteCount: bytes.count) }
        let text = String(decoding: bytes, as: UTF8.self)
        let emission = emission(tx)
        for account in accounts { emission.add(kind, text, account) }
    }

    /// Forgets everything about an account, and that it ever had a log. What this same write emits to it is not written.
    /// Whoever still listens gets a reset to 0.
    package func erase(_ account: String, _ tx: WriteTransaction) throws {
        emission(tx).drop(account)
        // The head first, as emitters do: one that waits for it finds it gone, and begins anew behind this write.
        try tx.run(Self.eraseHead(account))
        try tx.run(Self.eraseEvents(account))
        tx.wake(Wake(.events, account))
    }

    /// The number of the account's latest event; 0 when it never had one.
    package static func head(_ account: String, _ tx: ReadTransaction) throws -> Int64 {
        try tx.row(headOf(account))?.get("seq") ?? 0
    }

    private func emission(_ tx: WriteTransaction) -> EventEmission { tx.ending { EventEmission(clock: clock) } }
}

extension Wake.Channel {
    /// Keyed by account: there are new events.
    static let events: Wake.Channel = "events"
}
