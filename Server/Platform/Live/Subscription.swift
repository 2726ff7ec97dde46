/// One reader's place in an account's log. Read by one task at a time; let go of, it is over.
///
/// It pulls: nothing is read ahead of `next` but the rest of one page, at most 100 events, so a slow reader costs no more than that.
package final class Subscription {
    package enum Item: Sendable, Equatable {
        /// The one after the last.
        case event(Event)
        /// What came between the reader's last number and `head` is no longer known, or never was in this log: the reader asks for
        /// the state of things anew. What follows is `head` + 1.
        case reset(head: Int64)
    }

    package let account: String
    /// The number of the last event that `next` returned, or where the subscription started: the `since` to come back with.
    package private(set) var last: Int64

    private let hub: Hub
    private let id: Subscribers.SubscriptionID
    /// Read and not yet asked for.
    private var page: ArraySlice<Event> = []
    /// The flag as it stood before the last read, if that read came to the log's end: until it changes there is nothing to read.
    private var endFlag: Int?

    init(_ hub: Hub, _ id: Subscribers.SubscriptionID, last: Int64) {
        self.hub = hub
        self.id = id
        self.account = id.account
        self.last = last
    }

    deinit { hub.subscribers.leave(id) }

    /// Waits for the next event, however long.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled; `LiveError.shuttingDown` once the server stops; what the
    ///   database throws. After any of them nothing is lost: the next call goes on after `last`.
    package nonisolated(nonsending) func next() async throws -> Item {
        while true {
            if let event = page.popFirst() {
                // A slice keeps all of its array: who has read it and waits need not hold it.
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

    /// Reads what there is now.
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

    /// Waits, when called, until it is worth another look.
    var waiting: @Sendable () async throws -> Void {
        guard let endFlag else { return {} }
        return { [hub, id, last] in try await hub.subscribers.wait(id, flag: endFlag, last: last) }
    }
}
