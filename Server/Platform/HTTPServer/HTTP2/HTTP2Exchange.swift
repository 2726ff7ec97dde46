import Core
import HTTPTypes
import NIOCore
import NIOHTTP2
import NIOHTTPTypes
import NIOHTTPTypesHTTP2

/// The request and the response of one HTTP/2 stream.
final class HTTP2Exchange: ChannelDuplexHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = ArrivedPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// The most bytes per write. A large piece is split into writes of this size, so that the server can measure how much of it has been
    /// sent. The limit also bounds the size of a frame.
    private static let pieceByteCount = 16 * 1_024

    let presence = ClientPresence()
    private let limits: ChannelLimits
    private let isSecure: Bool
    private let answeredPromise: EventLoopPromise<Void>
    /// A head that waits for the end of its read, which tells whether the request ends with it.
    private var head: HTTPRequest?
    private var isArriving = false
    /// Whether the request's method is HEAD. The response then has no body, even if a handler writes one (RFC 9110 §9.3.2).
    private var isHead = false
    private var isRefused = false
    /// Whether the client waits for `100 Continue`, so no body is due from it.
    private var isPaused = false
    private var bodyRate: MinimumRate
    /// The time on `clock` since which a read waits for bytes of the body.
    private var waitingSince: NIODeadline?
    private var answerRate: MinimumRate
    /// Bytes of the response: written but not sent, and sent since the last check.
    private var pending = (byteCount: 0, goneByteCount: 0, since: NIODeadline.now())
    private var timer: Scheduled<Void>?
    private var context: ChannelHandlerContext?

    private let meter: BodyMeter
    private let entry: ConnectionLedger.Entry
    private let clock: ClientClock
    /// Whether the response has been written, or the server has closed or reset the stream. If the stream ends after that, the client is
    /// not at fault.
    private var isEnded = false
    private var joined = JoinedPieces()
    /// DATA frames of the body so far.
    private var frames = (count: 0, byteCount: 0)
    /// The same limits as for the chunks of HTTP/1.1 (`ChunkedFraming`).
    private static let freeFrameCount = 1_000
    private static let leastFrameByteCount = 16
    /// The log contains the method of each request. Over HTTP/1.1, the parser accepts only registered methods, which have at most 17
    /// letters.
    private static let mostMethodByteCount = 32
    /// Whether the rest of the body is dropped.
    private var isDropping = false

    /// The least time until a deadline is checked again, even while the clock stands still.
    private static let leastCheck = Duration.milliseconds(10)

    init(
        eventLoop: any EventLoop, isSecure: Bool, limits: ChannelLimits, meter: BodyMeter, entry: ConnectionLedger.Entry, clock: ClientClock
    ) {
        self.limits = limits
        self.clock = clock
        self.meter = meter
        self.entry = entry
        self.isSecure = isSecure
        bodyRate = limits.body
        answerRate = limits.answer
        answeredPromise = eventLoop.makePromise()
    }

    /// Completes when the response has been sent; fails when that is impossible.
    var answered: EventLoopFuture<Void> { answeredPromise.futureResult }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        timer?.cancel()
        timer = nil
        answeredPromise.fail(ChannelError.ioOnClosedChannel)
    }

    // MARK: Request

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if case .end(let trailers?) = part { entry.charge(forHead: Self.byteCount(of: trailers)) }
        guard !isRefused else { return }
        switch part {
        case .head(var head):
            entry.charge(forHead: Self.byteCount(of: head))
            if let problem = problem(in: head) { return refuse(problem, context) }
            isArriving = true
            isHead = head.method == .head
            // Changing the case of a long value would take the event loop half a millisecond.
            let expectation = head.headerFields[.expect].flatMap { $0.utf8.count <= 16 ? $0 : nil }
            isPaused = expectation?.lowercased() == "100-continue"
            head.scheme = isSecure ? "https" : "http"
            self.head = head
        case .body(let bytes):
            passHead(isWhole: false, context)
            isPaused = false
            if let waitingSince { bodyRate.wait(Duration(clock.now() - waitingSince)) }
            waitingSince = nil
            bodyRate.move(bytes.readableBytes)
            // An empty frame carries nothing but would still take a place in the queue.
            guard !isDropping, bytes.readableBytes > 0 else { return }
            frames.count += 1
            frames.byteCount += bytes.readableBytes
            if frames.count > Self.freeFrameCount, frames.byteCount / frames.count < Self.leastFrameByteCount {
                return refuse(
                    Problem(
                        .invalid,
                        "The DATA frames of the body are too small: send \(Self.leastFrameByteCount) bytes or more in each, on average."),
                    context)
            }
            let ready = joined.add(bytes)
            pass(ready.first, context)
            pass(ready.second, context)
        case .end:
            isArriving = false
            waitingSince = nil
            guard head == nil else { return passHead(isWhole: true, context) }
            pass(joined.take(), context)
            context.fireChannelRead(wrapInboundOut(.end))
        }
    }

    /// Takes all bytes that have arrived out of the stream's own buffer, because `UnreadBytes` does not count bytes there. When the
    /// connection has too many unread bytes, the server stops reading from it.
    func channelReadComplete(context: ChannelHandlerContext) {
        passHead(isWhole: false, context)
        pass(joined.take(), context)
        context.fireChannelReadComplete()
        context.read()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { presence.leave() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        presence.leave()
        for action in presence.takeOnceSent() { action() }
        context.fireChannelInactive()
    }

    /// NIO reports the client's RST_STREAM as this error.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is NIOHTTP2Errors.StreamClosed, !isEnded {
            isEnded = true
            entry.streamWasReset()
        }
        context.fireErrorCaught(error)
    }

    private func passHead(isWhole: Bool, _ context: ChannelHandlerContext) {
        guard let head else { return }
        self.head = nil
        presence.isRequestWhole = isWhole
        context.fireChannelRead(wrapInboundOut(.head(head, mayUpgrade: false, isWhole: isWhole)))
    }

    private func pass(_ bytes: ByteBuffer?, _ context: ChannelHandlerContext) {
        guard let bytes else { return }
        meter.arrived(bytes)
        context.fireChannelRead(wrapInboundOut(.body(bytes)))
    }

    func drop() { isDropping = true }

    func read(context: ChannelHandlerContext) {
        if isArriving, !isPaused, !isRefused, waitingSince == nil {
            waitingSince = clock.now()
            arm(context)
        }
        context.read()
    }

    /// Checks the rules for heads that NIO does not check. NIO checks the other rules of RFC 9113 §8.
    private func problem(in head: HTTPRequest) -> Problem? {
        guard head.headerFields.count <= limits.headerFieldCount else {
            return Problem(.headersTooLarge, "The head of the request has more than \(limits.headerFieldCount) fields.")
        }
        guard !CombiningMarks.areTooMany(inPercentEncoded: head.path ?? ""), !CombiningMarks.areTooMany(in: head.authority ?? ""),
            !head.headerFields.contains(where: { CombiningMarks.areTooMany(in: $0.value) })
        else { return CombiningMarks.problem(in: "The head of the request") }
        guard head.method.rawValue.utf8.count <= Self.mostMethodByteCount else { return Problem(.invalid, "The method is not valid.") }
        guard let path = head.path, path.hasPrefix("/") || (path == "*" && head.method == .options) else {
            return Problem(.invalid, "The request target is not a path.")
        }
        let hosts = head.headerFields[values: .hostField]
        guard let authority = head.authority ?? hosts.first, !authority.isEmpty, hosts.count <= 1,
            hosts.allSatisfy({ Self.areSame($0, authority) })
        else { return Problem(.invalid, "Host is missing, or it contradicts the authority.", field: "Host") }
        return nil
    }

    /// Whether two names have the same bytes, except for the case of ASCII letters. `==` would also take different bytes for the same name
    /// if Unicode calls them equivalent, and would take long for long values.
    private static func areSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8) { lowercase($0) == lowercase($1) }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte }

    /// The length of a decoded head, without its separators.
    private static func byteCount(of head: HTTPRequest) -> Int {
        let pseudoFields = [head.method.rawValue, head.scheme, head.path, head.authority].compactMap { $0?.utf8.count }
        return pseudoFields.reduce(byteCount(of: head.headerFields), +)
    }

    private static func byteCount(of fields: HTTPFields) -> Int {
        fields.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count }
    }

    private func refuse(_ problem: Problem, _ context: ChannelHandlerContext) {
        pass(joined.take(), context)
        isRefused = true
        context.fireErrorCaught(RefusedMessage(problem: problem))
    }

    // MARK: Response

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            if head.status == .continue, isPaused {
                isPaused = false
                waitingSince = clock.now()
                arm(context)
            }
            // These fields have no meaning in HTTP/2, and a strict client refuses them (RFC 9113 §8.2.2).
            head.headerFields[.connection] = nil
            head.headerFields[.upgrade] = nil
            head.headerFields.indexOnlyRepeatedFields()
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        case .body where isHead: promise?.succeed()
        case .body(let bytes): write(bytes, promise, context)
        case .end(var trailers):
            isEnded = true
            trailers?.indexOnlyRepeatedFields()
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.cascade(to: answeredPromise)
            if let promise { written.futureResult.cascade(to: promise) }
            let actions = presence.takeOnceSent()
            if !actions.isEmpty {
                written.futureResult.whenComplete { _ in
                    for action in actions { action() }
                }
            }
            context.write(wrapOutboundOut(.end(trailers)), promise: written)
        }
    }

    private func write(_ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext) {
        var bytes = bytes
        if pending.byteCount == 0 {
            pending.since = .now()
            pending.goneByteCount = 0
        }
        pending.byteCount += bytes.readableBytes
        repeat {
            let count = min(bytes.readableBytes, Self.pieceByteCount)
            guard let piece = bytes.readSlice(length: count) else { break }
            let written = context.eventLoop.makePromise(of: Void.self)
            written.futureResult.assumeIsolated().whenComplete { _ in
                self.pending.byteCount -= count
                self.pending.goneByteCount += count
            }
            if bytes.readableBytes == 0, let promise { written.futureResult.cascade(to: promise) }
            context.write(wrapOutboundOut(.body(piece)), promise: written)
        } while bytes.readableBytes > 0
        arm(context)
    }

    /// Resets the stream if the client still sends its request. Call this when the response has been sent and no handler reads what still
    /// arrives.
    func reset() {
        guard isArriving || isRefused else { return }
        isEnded = true
        context?.triggerUserOutboundEvent(NIOHTTP2FramePayloadToHTTPEvent.reset(code: .noError), promise: nil)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        isEnded = true
        context.close(mode: mode, promise: promise)
    }

    // MARK: Deadlines

    private func arm(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        var time: Duration?
        if !isRefused, let waitingSince { time = max(bodyRate.left - Duration(clock.now() - waitingSince), Self.leastCheck) }
        if pending.byteCount > 0 {
            let look = min(max(answerRate.left, Self.leastCheck), answerRate.ceiling / 8)
            time = min(time ?? look, look)
        }
        guard let time else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(time)) { self.expired(context) }
    }

    private func expired(_ context: ChannelHandlerContext) {
        timer = nil
        let now = NIODeadline.now()
        if pending.byteCount > 0 {
            answerRate.wait(Duration(now - pending.since))
            answerRate.move(pending.goneByteCount)
            pending.since = now
            pending.goneByteCount = 0
            if answerRate.isSpent {
                isEnded = true
                return context.close(promise: nil)
            }
        }
        if !isRefused, let waitingSince, waitingSince + TimeAmount(bodyRate.left) <= clock.now() {
            refuse(Problem(.timeout, "The body arrives too slowly: less than \(bodyRate.bytesPerSecond) bytes a second."), context)
        } else {
            arm(context)
        }
    }
}

extension HTTPField.Name {
    static let hostField = Self("Host")!
}
