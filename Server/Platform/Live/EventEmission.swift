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
        var events: [(account: String, before: Int, kind: Event.Kind, payload: String)] = []
        for account in accounts {
            let new = buffered[account] ?? []
            // No statement needs a result, so that PostgreSQL gets all of them together with COMMIT, and the head is locked only briefly.
            try tx.send(EventLog.takeNumbers(new.count, account, now: clock.now))
            for (index, event) in new.enumerated() {
                events.append((account, before: new.count - 1 - index, event.kind, event.payload))
            }
            tx.wake(Wake(.events, account))
        }
        // Insert many rows per statement, but in only four sizes: an engine keeps each different statement prepared.
        var rest = events[...]
        for size in [64, 16, 4, 1] {
            while rest.count >= size {
                try tx.send(EventLog.insert(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
        }
    }
}
