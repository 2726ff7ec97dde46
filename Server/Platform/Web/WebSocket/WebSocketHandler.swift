import Core
import NIOCore
import NIOWebSocket

/// A socket's channel handler, on its event loop. It passes bytes to `WebSocketProtocol`, delivers messages only as fast as the consumer
/// demands them, answers pings, and makes sure that the socket ends.
final class WebSocketHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = Never
    typealias OutboundOut = WebSocketFrame
    typealias Source = NIOAsyncSequenceProducer<ReceivedMessage, WebSocketConnection.Strategy, WebSocketDemand>.Source

    enum Phase {
        case open
        /// We have sent Close and wait for the peer's.
        case closing
        /// We have sent everything. The handler still reads and drops incoming bytes: closing with unread bytes would send a reset, and the
        /// peer could lose our last frames.
        case lingering
        case closed
    }

    let limits: WebSocketLimits
    let outbox: WebSocketOutbox
    let source: Source
    let ended: EventLoopPromise<WebSocketEnding>
    var context: ChannelHandlerContext?
    var phase = Phase.open
    var ending: WebSocketEnding?
    private var machine: WebSocketProtocol
    /// Bytes read from the socket that the protocol has not processed. Between reads, these are at most the start of a header or, if the
    /// consumer demands no message, the rest of one read.
    private var unread: ByteBuffer?
    /// Whether the buffer of messages is full. The handler then reads nothing until the consumer demands more.
    var isFull = false
    private var isReadDue = false
    /// The socket's share of the memory for messages, which the arriving message takes. `nil` if that memory is not limited.
    private let share: SharedBudget.Share?
    /// Bytes that the next message needs before its payload is read. The handler reads nothing until the memory has room for them.
    private var needed = 0
    var isWaitingForMemory: Bool { needed > 0 }
    private var isRetryScheduled = false
    /// Whether the message that is arriving takes a part of `share`.
    private var isCounted = false
    private var isProcessing = false
    private var pongsOnTheirWay = 0
    private var latePong: ByteBuffer?
    /// Whether a pong was written and not flushed.
    private var isPongUnsent = false
    private var pings: PingBucket
    /// Counts alarms. Only the last one that was set fires.
    private var alarm = 0
    var hasReceivedBytes = false
    var writes = 0

    init(
        limits: WebSocketLimits, outbox: WebSocketOutbox, source: Source, ended: EventLoopPromise<WebSocketEnding>,
        share: SharedBudget.Share?
    ) {
        self.share = share
        self.limits = limits
        self.outbox = outbox
        self.source = source
        self.ended = ended
        pings = PingBucket(perSecond: limits.pingsPerSecond)
        machine = WebSocketProtocol(limits: limits, announcedAbove: share == nil ? .max : Self.uncountedByteCount)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        schedulePing(in: limits.pingEvery)
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    // MARK: Reading

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { receive(unwrapInboundIn(data)) }

    func receive(_ bytes: ByteBuffer) {
        hasReceivedBytes = true
        guard phase == .open || phase == .closing else { return }
        if unread == nil { unread = bytes } else { unread?.writeImmutableBuffer(bytes) }
        process()
    }

    func read(context: ChannelHandlerContext) {
        if isFull || isWaitingForMemory, phase == .open { isReadDue = true } else { context.read() }
    }

    /// Called when the consumer demands more messages, or has gone.
    func produceMore() {
        isFull = false
        process()
        readIfDue()
    }

    private func readIfDue() {
        guard !isFull, !isWaitingForMemory || phase != .open, isReadDue else { return }
        isReadDue = false
        context?.read()
    }

    private func process() {
        // Delivering a message can call `produceMore` before it returns.
        guard !isProcessing else { return }
        isProcessing = true
        defer {
            isProcessing = false
            flushPongs()
        }
        while !isFull || phase == .closing, hasMemory(), !machine.isOver, var bytes = unread {
            unread = nil
            let action = machine.receive(&bytes)
            if action != nil, bytes.readableBytes > 0 {
                unread = bytes
            } else if bytes.readableBytes > 0 {
                // Copy them, so that a few bytes of a header do not keep the whole read buffer in memory.
                unread = ByteBuffer(bytes: bytes.readableBytesView)
            }
            guard let action else { return }
            perform(action)
        }
    }

    // MARK: Memory

    /// Messages of at most this many bytes are not counted, so that ordinary ones never wait. A socket has only a few in memory at a time.
    static let uncountedByteCount = 4_096
    private static let firstPause = TimeAmount.milliseconds(20)
    private static let longestPause = TimeAmount.milliseconds(640)

    /// Takes all the memory that the next message needs before its payload is read. If sockets held memory for parts of their messages and
    /// waited for the rest, they could wait for each other forever.
    /// - Returns: `false` when there is no room. The handler then tries again after a pause.
    private func hasMemory() -> Bool {
        // After our Close the payload is skipped.
        guard needed > 0, phase == .open, let share else { return true }
        do {
            try share.grow(by: needed)
            needed = 0
            return true
        } catch {
            retry(after: Self.firstPause)
            return false
        }
    }

    private func retry(after pause: TimeAmount) {
        guard !isRetryScheduled, let context else { return }
        isRetryScheduled = true
        context.eventLoop.assumeIsolated().scheduleTask(in: pause) { [weak self] in
            guard let self else { return }
            isRetryScheduled = false
            guard isWaitingForMemory, phase == .open else { return }
            guard (try? share?.grow(by: needed)) != nil else { return retry(after: min(pause * 2, Self.longestPause)) }
            needed = 0
            process()
            readIfDue()
        }
    }

    private func perform(_ action: WebSocketProtocol.Action) {
        switch action {
        case .begins(let byteCount):
            needed = byteCount
            isCounted = true
        case .deliver(let message):
            let part = isCounted ? share?.handOver() : nil
            isCounted = false
            if case .stopProducing = source.yield(ReceivedMessage(message: message, share: part)) { isFull = true }
        case .pong(let payload) where pings.take(at: .now()): pong(payload)
        // A client may send pongs that answer no ping (RFC 6455 §5.5.3), but each takes a token like a ping.
        case .receivedPong where pings.take(at: .now()): break
        case .pong, .receivedPong:
            perform(.fail(WebSocketClose(.policyViolation, "Send at most \(limits.pingsPerSecond) pings and pongs a second.")))
        case .peerClosed(let close, let answer):
            if phase == .open { ending = .peer(close) }
            if let answer {
                drain(all: true)
                write(.connectionClose, answer)
                linger()
            } else {
                shut()
            }
        case .fail(let close):
            if phase == .open {
                ending = .ours(close)
                drain(all: true)
                write(.connectionClose, close.payload)
            }
            linger()
        }
    }

    // MARK: Writing

    /// The most bytes that are written before a flush. With TLS, the channel notices that the socket takes no more only when a flush
    /// encrypts the bytes.
    private static let flushedByteCount = 64 * 1_024

    /// Writes queued messages, as long as the socket takes them.
    /// - Parameter all: writes all of them at once, before a Close.
    func drain(all: Bool = false) {
        guard phase == .open, let context else { return }
        var unflushed = 0
        while all || context.channel.isWritable, let message = outbox.next() {
            let byteCount = message.byteCount
            let promise = context.eventLoop.makePromise(of: Void.self)
            promise.futureResult.assumeIsolated().whenComplete { [outbox] _ in
                self.writes += 1
                outbox.written(byteCount)
            }
            context.write(wrapOutboundOut(frame(message)), promise: promise)
            unflushed += message.cost
            if unflushed >= Self.flushedByteCount {
                context.flush()
                unflushed = 0
            }
        }
        if unflushed > 0 { context.flush() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        drain()
        context.fireChannelWritabilityChanged()
    }

    private func frame(_ message: WebSocketMessage) -> WebSocketFrame {
        switch message {
        case .text(let text): WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(string: text))
        case .binary(let bytes): WebSocketFrame(fin: true, opcode: .binary, data: bytes)
        }
    }

    func write(_ opcode: WebSocketOpcode, _ payload: ByteBuffer, promise: EventLoopPromise<Void>? = nil) {
        guard let context else { return promise?.fail(ChannelError.ioOnClosedChannel) ?? () }
        context.writeAndFlush(wrapOutboundOut(WebSocketFrame(fin: true, opcode: opcode, data: payload)), promise: promise)
    }

    /// Answers every ping. If the peer does not take the answers, answers only the last ping (RFC 6455 §5.5.3 allows it). The answers to
    /// the pings of one read are sent with one flush: a system call for each would keep the event loop from its other connections.
    private func pong(_ payload: ByteBuffer) {
        guard let context else { return }
        guard pongsOnTheirWay < 64 else {
            latePong = payload
            return
        }
        pongsOnTheirWay += 1
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { _ in
            self.pongsOnTheirWay -= 1
            guard let late = self.latePong, self.phase == .open else { return }
            self.latePong = nil
            self.pong(late)
            self.flushPongs()
        }
        isPongUnsent = true
        context.write(wrapOutboundOut(WebSocketFrame(fin: true, opcode: .pong, data: payload)), promise: promise)
    }

    private func flushPongs() {
        guard isPongUnsent, !isProcessing else { return }
        isPongUnsent = false
        context?.flush()
    }

    // MARK: Ending

    func close(_ close: WebSocketClose) {
        guard phase == .open else { return }
        drain(all: true)
        phase = .closing
        ending = .ours(close)
        machine.close()
        share?.release()
        outbox.close()
        source.finish()
        write(.connectionClose, close.payload)
        shut(after: limits.closeWithin)
        // The peer's Close comes after messages that were not read for lack of demand, so read on.
        produceMore()
    }

    private func linger() {
        guard let context, phase == .open || phase == .closing else { return }
        phase = .lingering
        unread = nil
        share?.release()
        outbox.close()
        source.finish()
        let promise = context.eventLoop.makePromise(of: Void.self)
        // Some channels cannot close one direction alone.
        promise.futureResult.assumeIsolated().whenFailure { _ in self.shut() }
        context.close(mode: .output, promise: promise)
        shut(after: min(limits.closeWithin, .seconds(2)))
        produceMore()
    }

    private func shut(after time: Duration) { setAlarm(in: time) { $0.shut() } }

    /// Sets the one alarm: the next ping, or the deadline of its answer or of a close. The previous alarm no longer fires but stays
    /// scheduled, because cancelling it makes NIO search all timers of the event loop, at least one for each socket.
    func setAlarm(in time: Duration, _ ring: @escaping (WebSocketHandler) -> Void) {
        alarm += 1
        context?.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { [weak self, alarm] in
            guard let self, self.alarm == alarm else { return }
            ring(self)
        }
    }

    func shut() { context?.close(promise: nil) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed: shut()
        case is ChannelShouldQuiesceEvent: close(.serviceRestart)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Closes a broken connection. It then ends like a lost one, in `channelInactive`.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { shut() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    private func end() {
        guard phase != .closed else { return }
        phase = .closed
        alarm += 1
        unread = nil
        share?.release()
        context = nil
        outbox.drop()
        source.finish()
        ended.succeed(ending ?? .lost)
    }
}
