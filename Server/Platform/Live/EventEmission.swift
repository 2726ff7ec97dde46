internal import Core
internal import Database

/// Buffers the events of one write transaction until its last statements.
final class EventEmission: WriteEnding {
    private let clock: WallClock
    private var buffered: [String: [(kind: Event.Kind, payload: String)]] = [:]
    private var dropped: Set<String> = []

    init(clock: WallClock) { self.clock = clock }

    func add(_ kind: Event.Kind, _ payload: String, _ account: String) { buffered[account, default: []].append((kind, payload)) }

    func drop(_ account: String) { dropped.insert(account) }

    func end(_ tx: WriteTransaction) throws {
        // All writes use the same order, so two writes that share accounts wait for each other but never deadlock.
        let accounts = buffered.keys.filter { !dropped.contains($0) }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var events: [Event] = []
        for account in accounts {
            let new = buffered[account] ?? []
            guard let row = try tx.row(EventLog.takeNumbers(new.count, account, now: clock.now)) else { throw DatabaseError.column("seq") }
            let last: Int64 = try row.get("seq")
            let at: Timestamp = try row.get("at")
            for (seq, event) in zip((last - Int64(new.count) + 1)..., new) {
                events.append(Event(account: account, seq: seq, at: at, kind: event.kind, payload: event.payload))
            }
            tx.wake(Wake(.events, account))
        }
        // Insert many rows per statement, with few different statements: an engine keeps each one prepared.
        var rest = events[...]
        for size in [64, 16, 4, 1] {
            while rest.count >= size {
                try tx.run(EventLog.insert(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
        }
    }
}
