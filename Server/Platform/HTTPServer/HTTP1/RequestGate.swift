import Core
import NIOCore

/// The first handler of an HTTP/1 connection. It passes on the bytes of one request at a time, and checks their framing before the parser
/// sees them. It holds pipelined bytes, at most one read, until the response is written. That bounds the cost of pipelining and keeps the
/// bytes that follow an upgrade request. When the client ends the connection, it may hold more (`RequestGate+held.swift`).
///
/// Everything runs on the event loop.
final class RequestGate: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    enum Phase: Equatable {
        case idle
        /// The first `scanned` bytes do not contain the end of the head.
        case head(scanned: Int)
        case length(Int)
        case chunked(ChunkedFraming)
        /// The request has arrived completely, and its response is not complete yet.
        case answering
        /// The 101 response is being sent: received bytes belong to the next protocol.
        case switching
        case takenOver
        /// No further request is accepted; received bytes are dropped.
        case ended(dropped: Int)
    }

    let limits: ChannelLimits
    let isSecure: Bool
    var phase = Phase.idle
    /// The framing of the request in progress.
    private(set) var framing: RequestFraming?
    var held = ByteBuffer()
    private var isAnswered = false
    private var isProcessing = false
    private(set) var isReadWanted = false
    /// Whether the next held request waits for its turn.
    var awaitsTurn = false
    /// What the request costs that begins in the connection's turn; `nil` outside of a turn.
    var costInTurn: Int?
    /// The share of the common budget for `held`, if `held` is larger than what every connection may hold.
    var heldShare: SharedBudget.Share?
    /// For what the size of reads was chosen.
    var reads = Reads.heads
    /// The number of consecutive reads of a body that brought few bytes.
    var smallReads = 0
    /// The buffer of the last large read; `nil` unless `reads` is `.fastBody`.
    var lastRead: LastRead?
    /// Whether the client has closed its sending side.
    var isInputClosed = false
    /// Whether the last response has been sent, so the connection closes as soon as the client closes its side.
    var isLingering = false
    /// Whether the server stopped before the next protocol's handlers were in place.
    var isStopping = false
    /// Whether writes bypass HTTP's handlers.
    var isBypassed = false
    var context: ChannelHandlerContext?
    /// The handler after HTTP's handlers; the next protocol's handlers follow it.
    let exit = GateExit()
    var clock: GateClock

    let entry: ConnectionLedger.Entry
    let unread: UnreadBytes

    init(limits: ChannelLimits, entry: ConnectionLedger.Entry, unread: UnreadBytes, isSecure: Bool) {
        self.limits = limits
        self.isSecure = isSecure
        self.entry = entry
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
        heldShare = nil
        endLargeReads()
        exit.gate = nil
        unread.whenRoom(nil)
    }

    // MARK: Received bytes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        switch phase {
        case .takenOver: exit.context?.fireChannelRead(data)
        case .ended(let dropped): phase = .ended(dropped: dropped + bytes.readableBytes)
        default:
            guard mayTake(bytes) else {
                end()
                return context.close(promise: nil)
            }
            clock.arrived(bytes.readableBytes)
            lastRead?.keep(bytes)
            if held.readableBytes == 0 { held = bytes } else { held.writeBuffer(&bytes) }
            process(context)
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        switch phase {
        case .takenOver: exit.context?.fireChannelReadComplete()
        case .ended:
            context.fireChannelReadComplete()
            readToDrop(context)
        default: context.fireChannelReadComplete()
        }
    }

    /// Passes on the held bytes that belong to the current request.
    private func process(_ context: ChannelHandlerContext) {
        guard !isProcessing else { return }
        isProcessing = true
        defer {
            isProcessing = false
            arm(context)
        }
        do throws(Problem) {
            while held.readableBytes > 0, !awaitsTurn, try step(context) {}
        } catch {
            refuse(error, context)
        }
        held = held.readableBytes == 0 ? ByteBuffer() : held.withoutUnusedMemory()
        guard mayHold() else {
            end()
            return context.close(promise: nil)
        }
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
            guard let end = try endOfHead(from: scanned), mayBegin(headByteCount: end) else { return false }
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

    /// - Returns: the length of the head in bytes; `nil` when its end has not arrived yet.
    private func endOfHead(from scanned: Int) throws(Problem) -> Int? {
        let end = held.withUnsafeReadableBytes { bytes -> Int? in
            var index = max(3, scanned)
            while index < bytes.count {
                if bytes[index] == 10, bytes[index - 1] == 13, bytes[index - 2] == 10, bytes[index - 3] == 13 { return index + 1 }
                // Refuse a bare line feed at once: some clients would wait for a response for ever.
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
                : Problem(.uriTooLong, "The request target is longer than \(limits.headerListByteCount) bytes.")
        }
        if end == nil { phase = .head(scanned: held.readableBytes) }
        return end
    }

    private func passHead(byteCount: Int, _ context: ChannelHandlerContext) throws(Problem) {
        let framing = try held.withUnsafeReadableBytes { bytes throws(Problem) in
            try RequestFraming(head: UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]), limits: limits)
        }
        // After a request with `Connection: upgrade` the parser stops, whether or not the connection is upgraded. The gate handles the
        // option itself, so it overwrites the option with a meaningless word of the same length before the parser sees it.
        for option in framing.upgradeOptions {
            held.setString("ignored", at: held.readerIndex + option.lowerBound)
        }
        self.framing = framing
        entry.requestBegan()
        unread.bodyBegins()
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

    /// Accepts no further request. The reader of the request gets the problem after the bytes that arrived before it.
    func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
        end()
        context.fireErrorCaught(RefusedMessage(problem: problem))
        readToDrop(context)
    }

    /// Does the same as `refuse(_:_:)`, for a problem that a later handler found.
    func refuse(_ problem: Problem) { if let context { refuse(problem, context) } }

    /// Accepts no further request. Bytes that still arrive are dropped.
    func end() {
        held = ByteBuffer()
        heldShare = nil
        endLargeReads()
        phase = .ended(dropped: 0)
        // The deadline of a client that does not read its response stays.
        clock.requestEnded()
    }

    // MARK: Calls from `HTTP1Exchange`

    /// `100 Continue` was written, so the client must now send the body.
    func continued() {
        clock.continued()
        if let context { arm(context) }
    }

    /// Call when the response has been written completely.
    func answered() {
        isAnswered = true
        clock.answered()
        guard phase == .answering else { return }
        next()
        // This runs inside a write. The caller has to flush the response first.
        guard let context, held.readableBytes > 0 || isReadWanted || isInputClosed else { return arm() }
        guard held.readableBytes == 0 else { return awaitTurn() }
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
        entry.requestEnded()
        clock.idle()
    }

    func goOn(_ context: ChannelHandlerContext) {
        process(context)
        context.fireChannelReadComplete()
        readOn()
        if isInputClosed { closeInput(context) }
        arm(context)
    }

    /// Performs a read that was held back because too many bytes were unread.
    private func readOn() {
        guard let context, isReadWanted, !isFull, phase != .switching, !hasEnded, !unread.isFull() else { return }
        readNow(context)
    }

    private func readNow(_ context: ChannelHandlerContext) {
        isReadWanted = false
        clock.readBegan()
        fitReads(last: unread.readBegins(), context)
        context.read()
        arm(context)
    }

    /// Call when the response that was just written is the last on this connection.
    func finish() {
        guard let context else { return }
        end()
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        readToDrop(context)
    }

    // MARK: Flow and events

    /// Whether the held bytes have to wait.
    var isFull: Bool { held.readableBytes > 0 && (awaitsTurn || phase == .answering) }

    func read(context: ChannelHandlerContext) {
        if hasEnded {
            readToDrop(context)
        } else if isFull || phase == .switching || unread.isFull() {
            isReadWanted = true
        } else {
            readNow(context)
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
        // Remember that the server stops, for the next protocol. HTTP's handlers would close the connection at once.
        case .switching where event is ChannelShouldQuiesceEvent: isStopping = true
        // The connection ends anyway. HTTP's handlers would close it at once, even if the last response has not been sent.
        case .ended where event is ChannelShouldQuiesceEvent: return
        case _ where event as? ChannelEvent == .inputClosed:
            isInputClosed = true
            closeInput(context)
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    /// Called when the client has closed its sending side. Requests that it sent before are served first.
    private func closeInput(_ context: ChannelHandlerContext) {
        switch phase {
        case .ended where isLingering: context.close(promise: nil)
        // The last response may not have been sent yet.
        case .ended: context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        // `start` notifies the next protocol.
        case .switching, .takenOver: return
        case _ where isFull: return
        default:
            end()
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        }
    }
}
