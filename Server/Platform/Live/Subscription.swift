/// A reader's position in an account's log. Only one task at a time may use it. Releasing it ends the subscription.
///
/// It reads on demand: it buffers at most the rest of one page, 100 events, so a slow reader uses no more memory than that.
package final class Subscription {
    package enum Item: Sendable, Equatable {
        /// The next event.
        case event(Event)
        /// The events between the reader's last number and `head` are no longer available, or were never in this log. The reader must load
        /// the current state again; the next event is `head` + 1.
        case reset(head: Int64)
    }

    package let account: String
    /// The number of the last event that `next` returned, or the start position: the `since` to reconnect with.
    package private(set) var last: Int64

    private let hub: Hub
    private let id: Subscribers.SubscriptionID
    /// Events that were read but not returned yet.
    private var page: ArraySlice<Event> = []
    /// The wake count before the last read, if that read reached the end of the log. There is nothing to read until the count changes.
    private var endFlag: Int?

    init(_ hub: Hub, _ id: Subscribers.SubscriptionID, last: Int64) {
        self.hub = hub
        self.id = id
        self.account = id.account
        self.last = last
    }

    deinit { hub.subscribers.leave(id) }

    /// Waits for the next event without a time limit.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled; `LiveError.shuttingDown` when the server stops; database errors. No
    ///   event is lost: the next call continues after `last`.
    package nonisolated(nonsending) func next() async throws -> Item {
        while true {
            if let event = page.popFirst() {
                // An empty slice still keeps its array in memory; release it while the reader waits.
                if page.isEmpty { page = [] }
                last = event.seq
                return .event(event)
            }
            try Task.checkCancellation()
            switch try await look(limit: hub.settings.pageLimit) {
            case .events(let events): page = events[...]
            case .reset(let head), .gap(let head): return .reset(head: head)
            case .nothing: try await waiting()
            }
        }
    }

    /// Reads the events that exist now, without waiting.
    nonisolated(nonsending) func look(limit: Int) async throws -> EventPage {
        let flag = try hub.subscribers.flag(id)
        if endFlag == flag { return .nothing }
        let page = try await hub.read(account, after: last, limit: limit)
        switch page {
        case .events(let events): endFlag = events.count < limit ? flag : nil
        case .nothing: endFlag = flag
        case .reset(let head), .gap(let head):
            last = head
            endFlag = nil
        }
        return page
    }

    /// A function that waits until another read is worthwhile.
    var waiting: @Sendable () async throws -> Void {
        guard let endFlag else { return {} }
        return { [hub, id, last] in try await hub.subscribers.wait(id, flag: endFlag, last: last) }
    }
}
