package import Core
import HTTPServer
package import Logging
package import NIOCore
import NIOWebSocket

/// The server's side of a WebSocket after its handshake (RFC 6455).
package final class WebSocketConnection: Sendable {
    typealias Strategy = NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark

    private let eventLoop: any EventLoop
    private let outbox: WebSocketOutbox
    private let incoming: IncomingMessages
    private let handler: NIOLoopBound<WebSocketHandler>
    private let ended: EventLoopFuture<WebSocketEnding>

    /// Runs `talk`, then closes the socket and waits until it has closed.
    ///
    /// Closes with 1000 when `talk` returns, with `WebSocketClose(for:)` of its error when it throws, and with 1012 when the task is
    /// cancelled. Cancels `talk` when the socket ends first.
    /// - Returns: how the socket ended. The channel is closed by then.
    package func run(_ logger: Logger, _ talk: @escaping @Sendable (WebSocketConnection) async throws -> Void) async -> WebSocketEnding {
        await withTaskCancellationHandler {
            await converse(logger, talk)
        } onCancel: {
            close(.serviceRestart)
        }
    }

    private func converse(_ logger: Logger, _ talk: @escaping @Sendable (WebSocketConnection) async throws -> Void) async
        -> WebSocketEnding
    {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                do {
                    try await talk(self)
                    close(.normal)
                } catch {
                    let close = WebSocketClose(for: error)
                    if close.code == .internalError, !(error is WebSocketEnded) {
                        logger.error("a socket's handler failed", metadata: ["error": "\(type(of: error)): \(error)"])
                    }
                    self.close(close)
                }
            }
            let ending = try? await ended.get()
            group.cancelAll()
            return ending ?? .lost
        }
    }

    /// Takes over a channel whose HTTP handlers have been removed. Call it on the channel's event loop, so that no bytes arrive in between.
    /// - Parameters:
    ///   - share: an empty share of the memory for messages from clients. A message of more than 4 KB counts from its first byte until the
    ///     consumer asks for the next one. While there is no room for it, the server does not read from the socket. `nil`: nothing counts.
    ///   - unsent: an empty share of the memory for messages to clients. A message counts until the kernel has taken it. While there is no
    ///     room, the send queue holds one message, and further senders wait. `nil`: nothing counts.
    package init(
        on channel: any Channel, limits: WebSocketLimits = WebSocketLimits(), share: SharedBudget.Share? = nil,
        unsent: SharedBudget.Share? = nil
    ) throws {
        let eventLoop = channel.eventLoop
        let demand = WebSocketDemand(eventLoop)
        let sequence = NIOAsyncSequenceProducer.makeSequence(
            elementType: ReceivedMessage.self, backPressureStrategy: Strategy(lowWatermark: 1, highWatermark: 2), finishOnDeinit: false,
            delegate: demand)
        let promise = eventLoop.makePromise(of: WebSocketEnding.self)
        let outbox = WebSocketOutbox(
            limits: limits, eventLoop: eventLoop,
            signal: WebSocketOutbox.Signal(
                drain: { demand.handler?.drain() },
                tooSlow: { demand.handler?.close(WebSocketClose(.tryAgainLater, "The client reads too slowly.")) }),
            share: unsent)
        let handler = WebSocketHandler(limits: limits, outbox: outbox, source: sequence.source, ended: promise, share: share)
        do {
            // A socket is mostly idle, so its read buffers start small and grow under load. Bytes that have arrived when a message begins
            // to wait for memory are not counted, so a read is limited to 16 KiB.
            try channel.syncOptions?.setOption(.recvAllocator, value: ReadSizes(most: 16_384))
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            try channel.pipeline.syncOperations.addHandlers([WebSocketFrameEncoder(), handler])
            try channel.syncOptions?.setOption(.autoRead, value: true)
        } catch {
            sequence.source.finish()
            promise.fail(error)
            throw error
        }
        demand.set(handler)
        self.eventLoop = eventLoop
        self.outbox = outbox
        incoming = IncomingMessages(base: sequence.sequence)
        self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
        ended = promise.futureResult
        promise.futureResult.whenComplete { _ in demand.set(nil) }
    }

    /// The peer's messages until the socket ends, for one consumer. At most two messages are buffered. Then the server stops reading from
    /// the socket until the consumer takes them.
    package var messages: some AsyncSequence<WebSocketMessage, Never> { incoming }

    /// Returns once the message is in the send queue, which is bounded (`WebSocketLimits.sendByteCount`). So a slow client slows the sender
    /// down; after `sendWait` its socket is closed.
    /// - Throws: `WebSocketEnded` when the socket has ended; `CancellationError`, and then the message is not sent.
    package func send(_ text: String) async throws { try await outbox.send(.text(text)) }

    /// Sends a binary message; otherwise like `send` of a text.
    package func send(_ bytes: ByteBuffer) async throws { try await outbox.send(.binary(bytes)) }

    /// Sends a Close frame and returns. The socket waits in the background for the peer's Close. From now on the socket delivers and
    /// accepts no messages. Only the first call has an effect.
    package func close(_ code: WebSocketClose.Code, _ reason: String = "") { close(WebSocketClose(code, reason)) }

    package func close(_ close: WebSocketClose) {
        eventLoop.execute { [handler] in handler.value.close(close) }
    }
}

/// How a socket ended.
package enum WebSocketEnding: Sendable, Equatable {
    case peer(WebSocketClose)
    case ours(WebSocketClose)
    /// The peer did not answer a ping.
    case silent
    /// The connection ended without a Close frame (1006).
    case lost
}

extension WebSocketHandler {
    func close(_ code: WebSocketClose.Code) { close(WebSocketClose(code)) }
}

/// Passes the consumer's demand to the socket's event loop.
final class WebSocketDemand: NIOAsyncSequenceProducerDelegate, Sendable {
    private let eventLoop: any EventLoop
    private let bound: NIOLoopBoundBox<WebSocketHandler?>

    /// Call it on the event loop.
    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        bound = NIOLoopBoundBox(nil, eventLoop: eventLoop)
    }

    /// Call it on the event loop.
    func set(_ handler: WebSocketHandler?) { bound.value = handler }

    /// Read it on the event loop; `nil` once the socket has ended.
    var handler: WebSocketHandler? { bound.value }

    func produceMore() {
        eventLoop.execute { [bound] in bound.value?.produceMore() }
    }

    /// Called when the consumer no longer reads. Further messages are dropped.
    func didTerminate() { produceMore() }
}
