internal import Core
internal import Database

/// What a log holds for a reader who has seen everything up to a number.
enum EventPage: Sendable, Equatable {
    /// The next ones, each the last plus 1; at least one.
    case events([Event])
    case nothing
    /// What follows is no longer kept, or the log is not the one the reader knew: it goes on from `head`, without what lies between.
    case reset(head: Int64)
    /// As a reset, but for a hole no pruning makes.
    case gap(head: Int64)

    /// All in one snapshot.
    /// - Parameter insists: false takes holes as they come. Only for the test that must then fail.
    static func read(_ account: String, after last: Int64, limit: Int, insists: Bool = true, _ tx: ReadTransaction) throws -> EventPage {
        let events = try tx.list(EventLog.page(account, after: last, count: limit)) { try Event(&$0, account: account) }
        guard insists else { return events.isEmpty ? .nothing : .events(events) }
        let whole = run(events, after: last)
        if !whole.isEmpty { return .events(whole) }
        let head = try EventLog.head(account, tx)
        guard let next = events.first else { return head == last ? .nothing : .reset(head: head) }
        // Pruning takes the oldest, so nothing is left before a hole of its making.
        let oldest: Int64? = try tx.row(EventLog.oldestOf(account))?.get("seq")
        return oldest == next.seq ? .reset(head: head) : .gap(head: head)
    }

    /// Those that follow `last` one by one, up to the first hole.
    static func run(_ events: [Event], after last: Int64) -> [Event] {
        // Not last + 1: a client may say that it has seen the largest number there is.
        Array(zip(1..., events).prefix { $1.seq - last == $0 }.map(\.1))
    }
}
