import Core
package import NIOCore

/// A complete message (RFC 6455 §5.6), whatever its number of frames.
package enum WebSocketMessage: Sendable, Equatable {
    case text(String)
    case binary(ByteBuffer)
}

/// A message, and its share of the memory for messages from clients. The share returns to the budget when the last reference to it is
/// released.
struct ReceivedMessage: Sendable {
    let message: WebSocketMessage
    /// `nil` or empty for a message that does not count.
    let share: SharedBudget.Share?
}

/// The messages of a socket. A message's memory counts until the consumer asks for the next message.
struct IncomingMessages: AsyncSequence, Sendable {
    typealias Base = NIOAsyncSequenceProducer<ReceivedMessage, WebSocketConnection.Strategy, WebSocketDemand>

    let base: Base

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: Base.AsyncIterator
        private var share: SharedBudget.Share?

        fileprivate init(base: Base.AsyncIterator) { self.base = base }

        mutating func next() async -> WebSocketMessage? {
            share = nil
            let received = await base.next()
            share = received?.share
            return received?.message
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: base.makeAsyncIterator()) }
}
