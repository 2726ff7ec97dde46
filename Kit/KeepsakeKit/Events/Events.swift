import Foundation
public import KeepsakeWire

/// The live events of the account.
public final class Events: Sendable {
    private let feed: EventFeed
    private let disconnects = DisconnectCounter()

    init(client: Client, signals: KeepsakeSignals, replays: Bool) {
        feed = EventFeed(client: client, signals: signals, replays: replays)
    }

    /// Returns each event once, in order. All streams share one connection, which opens with the first stream and closes with the last. The
    /// connection is a WebSocket or, where the transport does not support it, long polls.
    ///
    /// After a lost connection, the server sends the events that the client has missed. `.reset` means that the server no longer has some
    /// of them: read all data again. If the app does not read a stream, the stream keeps at most 1,000 messages; then it drops them and
    /// holds a `.reset` instead.
    /// - Parameter since: `seq` of the last event that the app has seen; `nil` means only future ones.
    /// - Throws: from `next()`: `signed_out` or `session_changed` after a sign-out, and each error that is not `isRetryable`, for example
    ///   when the account was suspended. Then the stream has ended.
    public func follow(since: Int64? = nil) -> EventStream {
        EventStream(feed: feed, since: since, disconnects: disconnects, number: disconnects.count)
    }

    /// Connects at once instead of waiting. `KeepsakeSignals` do this when the app comes to the foreground or the network changes.
    public func reconnect() async { await feed.reconnect() }

    /// Closes the connection and ends all existing streams: `next()` of each returns `nil`, even if the app has not read from it yet. Only
    /// a new `follow` connects again.
    public func disconnect() async {
        disconnects.add()
        await feed.disconnect()
    }
}

/// Counts the calls of `disconnect`, so that a stream can tell whether the app has called it since the stream was made.
///
/// `@unchecked Sendable`: `lock` guards the variable.
final class DisconnectCounter: @unchecked Sendable {
    private let lock = NSLock()
    private var value = 0

    var count: Int { lock.withLock { value } }
    func add() { lock.withLock { value += 1 } }
}

/// A stream of events for one consumer.
public struct EventStream: AsyncSequence, Sendable {
    public typealias Element = LiveMessage

    let feed: EventFeed
    let since: Int64?
    let disconnects: DisconnectCounter
    let number: Int

    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    public struct Iterator: AsyncIteratorProtocol {
        private let stream: EventStream
        private var subscriber: EventSubscriber?

        init(_ stream: EventStream) { self.stream = stream }

        /// - Returns: `nil` after the task was cancelled, or after `disconnect`.
        public mutating func next() async throws -> LiveMessage? {
            if subscriber == nil {
                guard let new = await stream.feed.subscribe(since: stream.since, unless: stream.wasDisconnected) else { return nil }
                subscriber = new
            }
            return try await subscriber?.next()
        }
    }

    /// Whether the app has called `disconnect` since the stream was made. The feed's actor calls this, so it does not miss a `disconnect`
    /// at the same time.
    fileprivate var wasDisconnected: @Sendable () -> Bool { { [disconnects, number] in disconnects.count != number } }
}
