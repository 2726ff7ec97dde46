package import Logging
package import NIOCore
import NIOWebSocket

/// A WebSocket after its handshake (RFC 6455), the server's side: messages in, messages out, and an end.
package final class WebSocketConnection: Sendable {
    typealias Strategy = NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark

    private let eventLoop: any EventLoop
    private let outbox: WebSocketOutbox
    private let incoming: NIOAsyncSequenceProducer<WebSocketMessage, Strategy, WebSocketDemand>
    private let handler: NIOLoopBound<WebSocketHandler>
    private let ended: EventLoopFuture<WebSocketEnding>

    /// Talks, and closes the socket.
    ///
    /// It ends with 1000 when `talk` returns, with what `WebSocketClose(for:)` makes of its error when it throws, and with 1012 when
    /// the task is cancelled. `talk` is cancelled as soon as the socket ends by itself.
    /// - Returns: how it ended; the channel is closed.
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

    /// Takes over a channel whose HTTP handlers are done. To be called on its event loop, so that no byte comes in between.
    package init(on channel: any Channel, limits: WebSocketLimits = WebSocketLimits()) throws {
        let eventLoop = channel.eventLoop
        let demand = WebSocketDemand(eventLoop)
        let sequence = NIOAsyncSequenceProducer.makeSequence(
            elementType: WebSocketMessage.self, backPressureStrategy: Strategy(lowWatermark: 1, highWatermark: 2), finishOnDeinit: false,
            delegate: demand)
        let promise = eventLoop.makePromise(of: WebSocketEnding.self)
        let outbox = WebSocketOutbox(
            limits: limits, eventLoop: eventLoop,
            signal: WebSocketOutbox.Signal(
                drain: { demand.handler?.drain() },
                tooSlow: { demand.handler?.close(WebSocketClose(.tryAgainLater, "Reading too slowly.")) }))
        let handler = WebSocketHandler(limits: limits, outbox: outbox, source: sequence.source, ended: promise)
        do {
            // A socket mostly waits: its reads begin small, and grow when there is more.
            try channel.syncOptions?.setOption(
                .recvAllocator, value: AdaptiveRecvByteBufferAllocator(minimum: 1_024, initial: 2_048, maximum: 65_536))
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
        incoming = sequence.sequence
        self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
        ended = promise.futureResult
        promise.futureResult.whenComplete { _ in demand.set(nil) }
    }

    /// What the peer says, until the socket ends, for one reader. Two messages wait at most; then nothing is read from the socket until
    /// they are taken.
    package var messages: some AsyncSequence<WebSocketMessage, Never> { incoming }

    /// Answers once the message is among those to be written, which are bounded (`WebSocketLimits.sendByteCount`): a slow reader slows
    /// the sender down, and is dropped after `sendWait`.
    /// - Throws: `WebSocketEnded`; `CancellationError`, and then nothing is sent.
    package func send(_ text: String) async throws { try await outbox.send(.text(text)) }

    /// As with a text.
    package func send(_ bytes: ByteBuffer) async throws { try await outbox.send(.binary(bytes)) }

    /// Says goodbye and waits, in the background, for the peer to do the same; nothing is delivered or taken any more. Only the first
    /// call counts.
    package func close(_ code: WebSocketClose.Code, _ reason: String = "") { close(WebSocketClose(code, reason)) }

    package func close(_ close: WebSocketClose) {
        eventLoop.execute { [handler] in handler.value.close(close) }
    }
}

/// How a socket came to its end.
package enum WebSocketEnding: Sendable, Equatable {
    case peer(WebSocketClose)
    case ours(WebSocketClose)
    /// The peer did not answer a ping.
    case silent
    /// Cut without a word (1006).
    case lost
}

extension WebSocketHandler {
    func close(_ code: WebSocketClose.Code) { close(WebSocketClose(code)) }
}

/// Carries the consumer's wish for more to the socket's event loop.
final class WebSocketDemand: NIOAsyncSequenceProducerDelegate, Sendable {
    private let eventLoop: any EventLoop
    private let bound: NIOLoopBoundBox<WebSocketHandler?>

    /// On the event loop.
    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        bound = NIOLoopBoundBox(nil, eventLoop: eventLoop)
    }

    /// On the event loop.
    func set(_ handler: WebSocketHandler?) { bound.value = handler }

    /// On the event loop; `nil` once the socket has ended.
    var handler: WebSocketHandler? { bound.value }

    func produceMore() {
        eventLoop.execute { [bound] in bound.value?.produceMore() }
    }

    /// Nobody reads any more: what comes is dropped.
    func didTerminate() { produceMore() }
}
