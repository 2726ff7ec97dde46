public import KeepsakeWire

/// What happens in the account, live.
public final class Events: Sendable {
    private let feed: EventFeed

    init(client: Client) { feed = EventFeed(client: client) }

    /// Each event once, in order. All streams share one connection, which starts with the first and ends with the last.
    ///
    /// After a lost connection the server sends again what was missed. `.reset` means that it no longer has some of it: read all data again.
    /// A stream that is not read keeps at most 1,000 messages; then it drops them and holds a `.reset` instead.
    /// - Parameter since: `seq` of the last event that the app has seen; `nil` means only future ones.
    /// - Throws: from `next()`: `signed_out` or `session_changed` after a sign-out.
    public func follow(since: Int64? = nil) -> EventStream { EventStream(feed: feed, since: since) }

    /// Connects at once instead of waiting: call it when the app comes to the foreground or the network changes.
    public func reconnect() async { await feed.reconnect() }
}

/// A stream of events for one consumer.
public struct EventStream: AsyncSequence, Sendable {
    public typealias Element = LiveMessage

    let feed: EventFeed
    let since: Int64?

    public func makeAsyncIterator() -> Iterator { Iterator(feed: feed, since: since) }

    public struct Iterator: AsyncIteratorProtocol {
        private let feed: EventFeed
        private let since: Int64?
        private var subscriber: EventSubscriber?

        init(feed: EventFeed, since: Int64?) {
            self.feed = feed
            self.since = since
        }

        /// - Returns: `nil` after the task was cancelled.
        public mutating func next() async throws -> LiveMessage? {
            if subscriber == nil { subscriber = await feed.subscribe(since: since) }
            return try await subscriber?.next()
        }
    }
}
