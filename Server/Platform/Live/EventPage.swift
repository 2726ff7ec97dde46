internal import Core
internal import Database

/// What a log contains after the number that a reader has seen last.
enum EventPage: Sendable, Equatable {
    /// The next events, at least one, numbered without gaps.
    case events([Event])
    case nothing
    /// The next events were pruned, or this is not the log that the reader knew. The reader must continue from `head`, without the events
    /// in between.
    case reset(head: Int64)
    /// The same as a reset, but for a gap that pruning did not cause.
    case gap(head: Int64)

    /// Reads the next page in one snapshot.
    /// - Parameter insists: `false` ignores gaps. Only a test sets it, to prove that its check fails when gaps are ignored.
    static func read(_ account: String, after last: Int64, limit: Int, insists: Bool = true, _ tx: ReadTransaction) throws -> EventPage {
        let events = try tx.list(EventLog.page(account, after: last, count: limit)) { try Event(&$0, account: account) }
        guard insists else { return events.isEmpty ? .nothing : .events(events) }
        let whole = run(events, after: last)
        if !whole.isEmpty { return .events(whole) }
        let head = try EventLog.head(account, tx)
        guard let next = events.first else { return head == last ? .nothing : .reset(head: head) }
        // Pruning deletes the oldest events, so no events remain before a gap that it causes.
        let oldest: Int64? = try tx.row(EventLog.oldestOf(account))?.get("seq")
        return oldest == next.seq ? .reset(head: head) : .gap(head: head)
    }

    /// The events that follow `last` without a gap.
    static func run(_ events: [Event], after last: Int64) -> [Event] {
        // Do not compute last + 1: it overflows when a client sends the largest number.
        Array(zip(1..., events).prefix { $1.seq - last == $0 }.map(\.1))
    }
}
