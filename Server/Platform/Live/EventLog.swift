package import Core
package import Database
internal import Foundation

/// The numbered events of each account. A write that changes something calls `emit` in its transaction, so the change and its event are
/// committed together.
package struct EventLog: Sendable {
    /// The largest payload, in UTF-8 bytes of JSON. An event names what changed; it does not contain the changed data.
    package static let payloadLimit = 65_536

    private let clock: WallClock

    package init(clock: WallClock) { self.clock = clock }

    package static let migrations = [
        Migration(
            "live/001-event",
            [
                // seq: the last number assigned. at: the time of the event with that number, which never decreases.
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
                // The index is for the deletion of old events. Its columns are in the order in which events are read for that, so that a
                // batch of the oldest events is one range of the index.
                "CREATE INDEX event_by_age ON event (at, account, seq)",
            ])
    ]

    /// Emits an event to `account`. The last statements of this write insert its events in the order of the calls. Subscribers receive the
    /// event after the commit.
    ///
    /// - Parameter payload: what other modules and devices need to know, encoded as JSON with sorted keys; at most 64 KB.
    /// - Throws: `LiveError.payloadTooLarge`, or the encoder's error.
    package func emit(_ kind: Event.Kind, _ payload: some Encodable, to account: String, _ tx: WriteTransaction) throws {
        try emit(kind, payload, to: CollectionOfOne(account), tx)
    }

    /// Emits the same event to each of `accounts`. Use it for tens of accounts: the write locks the head row of each until it commits. Use
    /// a job for more.
    package func emit(_ kind: Event.Kind, _ payload: some Encodable, to accounts: some Sequence<String>, _ tx: WriteTransaction) throws {
        let text = try Self.text(payload, JSONEncoder.withSortedKeys())
        let emission = emission(tx)
        for account in accounts { emission.add(kind, text, account) }
    }

    /// Emits many events of one kind, each to its account, in the order of `events`. They share one encoder, because making one for each
    /// event would cost as much as storing the event.
    /// - Throws: `LiveError.payloadTooLarge`, or the encoder's error.
    package func emit<Payload: Encodable>(
        _ kind: Event.Kind, all events: [(payload: Payload, account: String)], _ tx: WriteTransaction
    ) throws {
        guard !events.isEmpty else { return }
        let (encoder, emission) = (JSONEncoder.withSortedKeys(), emission(tx))
        for (payload, account) in events { emission.add(kind, try Self.text(payload, encoder), account) }
    }

    private static func text(_ payload: some Encodable, _ encoder: JSONEncoder) throws -> String {
        let bytes = try encoder.encode(payload)
        guard bytes.count <= payloadLimit else { throw LiveError.payloadTooLarge(byteCount: bytes.count) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Deletes all events of an account and its head. Events that the same write emits to the account are dropped. Open subscriptions get a
    /// reset to 0.
    package func erase(_ account: String, _ tx: WriteTransaction) throws {
        emission(tx).drop(account)
        // Delete the head first: writes that emit events also change the head first. A write that waits for the head then starts a new log.
        try tx.send(Self.eraseHead(account))
        try tx.send(Self.eraseEvents(account))
        tx.wake(Wake(.events, account))
    }

    /// The number of the account's latest event; 0 when it never had one.
    package static func head(_ account: String, _ tx: ReadTransaction) throws -> Int64 {
        try tx.row(headOf(account))?.get("seq") ?? 0
    }

    /// For a restored backup: gives each of `accounts` a head above every number that was given out after the backup, so that a client that
    /// saw a lost event gets a reset. The new head is the number of microseconds since 1970. It is higher than all earlier numbers, because
    /// no account gets an event every microsecond.
    package static func raise(_ accounts: [String], at now: Timestamp, _ tx: WriteTransaction) throws {
        for account in accounts { try tx.send(raise(account, now)) }
    }

    private func emission(_ tx: WriteTransaction) -> EventEmission { tx.ending { EventEmission(clock: clock) } }
}

extension Wake.Channel {
    /// An account has new events; the key is the account.
    static let events: Wake.Channel = "events"
}
