import Core
import NIOCore

/// The first stage of a connection of HTTP/1: lets the bytes of one request through at a time, and checks their framing before the
/// parser sees them. It holds what was sent ahead, one read at most, until the answer is written; that bounds what pipelining
/// costs, and keeps the bytes behind a request that asks for another protocol.
///
/// Everything happens on the event loop.
final class RequestGate: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    enum Phase: Equatable {
        case idle
        /// `scanned` bytes of the head contain no end.
        case head(scanned: Int)
        case length(Int)
        case chunked(ChunkedFraming)
        /// The request is whole.
        case answering
        /// 101 is on its way: what arrives is the next protocol's.
        case switching
        case takenOver
        /// Nothing is read any more; what arrives is dropped.
        case ended(dropped: Int)
    }

    private let limits: ChannelLimits
    var phase = Phase.idle
    /// The head that was let through last.
    private(set) var framing: RequestFraming?
    var held = ByteBuffer()
    private var isAnswered = false
    private var isProcessing = false
    private var isReadWanted = false
    var isInputClosed = false
    /// The server has stopped while the next protocol was not there yet to be told.
    var isStopping = false
    /// What is written goes past HTTP's handlers.
    var isBypassed = false
    var context: ChannelHandlerContext?
    /// Behind HTTP's handlers, where those of the next protocol begin.
    let exit = GateExit()
    var clock: GateClock

    private let unread: UnreadBytes

    init(limits: ChannelLimits, unread: UnreadBytes) {
        self.limits = limits
        self.unread = unread
        clock = GateClock(limits: limits)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        exit.gate = self
        unread.whenRoom { [weak self] in self?.readOn() }
        clock.idle()
        arm(context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        clock.stop()
        self.context = nil
        exit.gate = nil
        unread.whenRoom(nil)
    }

    // MARK: In

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        switch phase {
        case .takenOver: exit.context?.fireChannelRead(data)
        case .ended(let dropped):
            phase = .ended(dropped: dropped + bytes.readableBytes)
            if dropped > HTTP1Exchange.dropByteCount { context.close(promise: nil) }
        default:
            clock.arrived(bytes.readableBytes)
            if held.readableBytes == 0 { held = bytes } else { held.writeBuffer(&bytes) }
            process(context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        switch phase {
        case .takenOver: exit.context?.fireChannelReadComplete()
        case .ended:
            context.fireChannelReadComplete()
            // Nobody behind us asks for more, and closing with bytes unread would destroy the answer on its way.
            context.read()
        default: context.fireChannelReadComplete()
        }
    }

    /// Lets through what belongs to the present request.
    private func process(_ context: ChannelHandlerContext) {
        guard !isProcessing else { return }
        isProcessing = true
        defer {
            isProcessing = false
            arm(context)
        }
        do throws(Problem) {
            while held.readableBytes > 0, try step(context) {}
        } catch {
            refuse(error, context)
        }
        if held.readableBytes == 0 { held = ByteBuffer() }
    }

    /// - Returns: whether there may be more to do.
    private func step(_ context: ChannelHandlerContext) throws(Problem) -> Bool {
        switch phase {
        case .idle:
            // RFC 9112 §2.2: an empty line before a request is ignored.
            if held.readableBytesView.starts(with: [13, 10]) { held.moveReaderIndex(forwardBy: 2) }
            guard held.readableBytes > 0, held.readableBytesView != [13] else { return false }
            clock.headBegan()
            phase = .head(scanned: 0)
        case .head(let scanned):
            guard let end = try endOfHead(from: scanned) else { return false }
            try passHead(byteCount: end, context)
        case .length(let left):
            let count = min(left, held.readableBytes)
            phase = left == count ? .answering : .length(left - count)
            pass(count, context)
        case .chunked(var chunks):
            let count = try held.withUnsafeReadableBytes { bytes throws(Problem) in try chunks.consume(bytes) }
            phase = chunks.isDone ? .answering : .chunked(chunks)
            pass(count, context)
        case .answering, .switching, .takenOver, .ended: return false
        }
        if phase == .answering {
            clock.requestEnded()
            if isAnswered { next() }
        }
        return true
    }

    /// - Returns: the length of the head, or `nil` when its end is not here yet.
    private func endOfHead(from scanned: Int) throws(Problem) -> Int? {
        let end = held.withUnsafeReadableBytes { bytes -> Int? in
            var index = max(3, scanned)
            while index < bytes.count {
                if bytes[index] == 10, bytes[index - 1] == 13, bytes[index - 2] == 10, bytes[index - 3] == 13 { return index + 1 }
                // A bare line feed never becomes a head; some clients would wait for ever.
                if bytes[index] == 10, bytes[index - 1] != 13 { return -1 }
                index += 1
            }
            return nil
        }
        if end == -1 { throw Problem(.invalid, "A line of the head does not end with CRLF.") }
        guard (end ?? held.readableBytes) <= limits.headerListByteCount else {
            let isLine = held.readableBytesView.prefix(limits.headerListByteCount).contains(10)
            throw isLine
                ? Problem(.headersTooLarge, "The head of the request is larger than \(limits.headerListByteCount) bytes.")
                : Problem(.uriTooLong, "The address is longer than \(limits.headerListByteCount) bytes.")
        }
        if end == nil { phase = .head(scanned: held.readableBytes) }
        return end
    }

    private func passHead(byteCount: Int, _ context: ChannelHandlerContext) throws(Problem) {
        let framing = try held.withUnsafeReadableBytes { bytes throws(Problem) in
            try RequestFraming(head: UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]), limits: limits)
        }
        // The parser stops for good after a request with `Connection: upgrade`, whatever comes of it. The option is ours to read, so it
        // gets to see a word of the same length that means nothing.
        for option in framing.upgradeOptions {
            held.setString("ignored", at: held.readerIndex + option.lowerBound)
        }
        self.framing = framing
        isAnswered = false
        switch framing.body {
        case .none: phase = .answering
        case .length(let count): phase = .length(count)
        case .chunked: phase = .chunked(ChunkedFraming())
        }
        clock.headEnded(isWaiting: framing.expectsContinue)
        pass(byteCount, context)
    }

    private func pass(_ byteCount: Int, _ context: ChannelHandlerContext) {
        guard let slice = held.readSlice(length: byteCount) else { return }
        context.fireChannelRead(wrapInboundOut(slice))
    }

    /// Reads nothing more, and says why to whoever reads the request, behind what arrived before.
    func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
        end()
        context.fireErrorCaught(RefusedMessage(problem: problem))
        context.read()
    }

    /// The same, for what a handler behind us found out.
    func refuse(_ problem: Problem) { if let context { refuse(problem, context) } }

    /// Reads nothing more. What still arrives is dropped.
    private func end() {
        held = ByteBuffer()
        phase = .ended(dropped: 0)
        clock.stop()
    }

    // MARK: What HTTP says

    /// `100 Continue` was written, so the body is the client's turn.
    func continued() {
        clock.continued()
        if let context { arm(context) }
    }

    /// An answer is written to its end.
    func answered() {
        isAnswered = true
        clock.answered()
        guard phase == .answering else { return }
        next()
        // We are inside a write; whoever flushes it comes first.
        guard let context, held.readableBytes > 0 || isReadWanted || isInputClosed else { return arm() }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (gate, context) = bound.value
            guard gate.context != nil else { return }
            gate.goOn(context)
        }
    }

    private func next() {
        phase = .idle
        framing = nil
        clock.idle()
    }

    private func goOn(_ context: ChannelHandlerContext) {
        process(context)
        context.fireChannelReadComplete()
        readOn()
        if isInputClosed { closeInput(context) }
        arm(context)
    }

    /// Reads what was asked for while there was no room.
    private func readOn() {
        guard let context, isReadWanted, !isFull, phase != .switching, !unread.isFull() else { return }
        isReadWanted = false
        clock.readBegan()
        context.read()
        arm(context)
    }

    /// The answer that was written is the connection's last.
    func finish() {
        guard let context else { return }
        end()
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        context.read()
    }

    // MARK: Flow and events

    private var isFull: Bool { phase == .answering && held.readableBytes > 0 }

    func read(context: ChannelHandlerContext) {
        if isFull || phase == .switching || unread.isFull() {
            isReadWanted = true
        } else {
            clock.readBegan()
            context.read()
            arm(context)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        clock.wrote(unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        context.flush()
        if clock.flushed(context.channel) { arm(context) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if phase == .takenOver { exit.context?.fireChannelWritabilityChanged() } else { context.fireChannelWritabilityChanged() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        clock.stop()
        if phase == .takenOver { exit.context?.fireChannelInactive() } else { context.fireChannelInactive() }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if phase == .takenOver { exit.context?.fireErrorCaught(error) } else { context.fireErrorCaught(error) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch phase {
        case .takenOver: exit.context?.fireUserInboundEventTriggered(event)
        // For the next protocol to hear once it is there: HTTP would hang up without a word.
        case .switching where event is ChannelShouldQuiesceEvent: isStopping = true
        case _ where event as? ChannelEvent == .inputClosed:
            isInputClosed = true
            closeInput(context)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// The client sends nothing more; what it sent ahead is served first.
    private func closeInput(_ context: ChannelHandlerContext) {
        switch phase {
        case .ended: context.close(promise: nil)
        // Told to the next protocol once it is there.
        case .switching, .takenOver: return
        case .answering where held.readableBytes > 0: return
        default:
            isInputClosed = false
            end()
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }
}
