import Core
import NIOCore

/// Measures how long an HTTP/1 connection has waited for its client. It uses one timer per connection and reschedules it only when the next
/// deadline is earlier, so a request that arrives in time costs no timer.
struct GateClock {
    enum Verdict {
        case nothing
        case close
        case refuse(Problem)
    }

    private enum Awaited {
        case nothing
        case request(since: NIODeadline)
        case head(since: NIODeadline)
        case body
    }

    private let limits: ChannelLimits
    private var awaited = Awaited.nothing
    private var bodyRate: MinimumRate
    /// The time since which a read waits for bytes of a body. `nil` while the server does not read, because the client is then not late.
    private var waitingSince: NIODeadline?
    /// Whether the client waits for `100 Continue`, so no body is due from it.
    private var isPaused = false
    private var answerRate: MinimumRate
    /// Since when bytes of a response have waited to be sent, and how many bytes of all responses had been sent before.
    private var blocked: (since: NIODeadline, leftByteCount: Int)?
    private var writtenByteCount = 0
    /// The number of responses whose last byte was written but not sent yet. `hasMore`: whether bytes were written after the last of these
    /// responses.
    private var unsent = (answerCount: 0, hasMore: false)
    private var timer: (task: Scheduled<Void>, at: NIODeadline)?

    init(limits: ChannelLimits) {
        self.limits = limits
        bodyRate = limits.body
        answerRate = limits.answer
    }

    // MARK: Events

    mutating func idle() { awaited = .request(since: .now()) }
    mutating func headBegan() { awaited = .head(since: .now()) }

    mutating func headEnded(isWaiting: Bool) {
        awaited = .body
        isPaused = isWaiting
        bodyRate.restart()
        answerRate.restart()
        waitingSince = nil
    }

    mutating func continued() {
        guard isPaused else { return }
        isPaused = false
        waitingSince = .now()
    }

    mutating func requestEnded() {
        awaited = .nothing
        waitingSince = nil
    }

    mutating func answered() {
        // The server reads and drops the rest of the body for at most `linger`, so the body's deadline no longer applies.
        if case .body = awaited { requestEnded() }
    }

    mutating func readBegan() {
        guard case .body = awaited, !isPaused, waitingSince == nil else { return }
        waitingSince = .now()
    }

    mutating func arrived(_ byteCount: Int) {
        guard case .body = awaited else { return }
        isPaused = false
        if let waitingSince { bodyRate.wait(Duration(.now() - waitingSince)) }
        waitingSince = nil
        bodyRate.move(byteCount)
    }

    mutating func wrote(_ byteCount: Int) {
        writtenByteCount += byteCount
        unsent.hasMore = true
    }

    /// Call when the last byte of a response was written, and `answerLeft` when it has been sent.
    mutating func wroteAnswer() { unsent = (unsent.answerCount + 1, false) }

    /// Call when the last byte of a response was sent. This may be during `flush`, if the socket takes all bytes.
    mutating func answerLeft() {
        unsent.answerCount -= 1
        if hasAllLeft { blocked = nil }
    }

    private var hasAllLeft: Bool { unsent.answerCount == 0 && !unsent.hasMore }

    /// Call after a flush: the socket has taken what it could, and the rest waits. The check is needed after each flush and not only when
    /// the channel is full, because the pieces of a response are too small to fill the channel.
    mutating func flushed(_ channel: any Channel) -> Bool {
        // Reading the channel's option is slow, and most responses have been sent completely at this point.
        if hasAllLeft { return false }
        if buffered(channel) == 0 {
            blocked = nil
        } else if blocked == nil {
            blocked = (.now(), left(channel))
        }
        return true
    }

    mutating func stop() {
        awaited = .nothing
        waitingSince = nil
        blocked = nil
        timer?.task.cancel()
        timer = nil
    }

    // MARK: Deadlines

    mutating func arm(_ context: ChannelHandlerContext, _ fire: @escaping () -> Void) {
        guard let deadline = deadline else { return }
        if let timer {
            guard deadline < timer.at else { return }
            timer.task.cancel()
        }
        timer = (context.eventLoop.assumeIsolated().scheduleTask(deadline: deadline, fire), deadline)
    }

    private var deadline: NIODeadline? {
        var deadline: NIODeadline?
        switch awaited {
        case .nothing: break
        case .request(let since): deadline = since + TimeAmount(limits.idle)
        case .head(let since): deadline = since + TimeAmount(limits.head)
        case .body: deadline = waitingSince.map { $0 + TimeAmount(bodyRate.left) }
        }
        guard let blocked else { return deadline }
        // Check more often than the deadline requires, since NIO does not report when bytes are sent.
        let look = blocked.since + TimeAmount(min(max(answerRate.left, .milliseconds(10)), answerRate.ceiling / 8))
        return min(deadline ?? look, look)
    }

    mutating func expired(_ phase: RequestGate.Phase, _ channel: any Channel) -> Verdict {
        timer = nil
        let now = NIODeadline.now()
        if blocked != nil, buffered(channel) == 0 {
            // All bytes were sent in the meantime; NIO does not report it.
            blocked = nil
        } else if let blocked {
            answerRate.wait(Duration(now - blocked.since))
            let leftByteCount = left(channel)
            answerRate.move(leftByteCount - blocked.leftByteCount)
            self.blocked = (now, leftByteCount)
            if answerRate.isSpent { return .close }
        }
        guard let deadline, deadline <= now else { return .nothing }
        switch awaited {
        case .nothing: return .nothing
        case .request(let since): return since + TimeAmount(limits.idle) <= now ? .close : .nothing
        case .head: return .refuse(Problem(.timeout, "The head of the request took longer than \(limits.head.components.seconds) s."))
        case .body:
            guard let waitingSince, waitingSince + TimeAmount(bodyRate.left) <= now else { return .nothing }
            return .refuse(Problem(.timeout, "The body arrives too slowly: less than \(bodyRate.bytesPerSecond) bytes a second."))
        }
    }

    /// Bytes that the socket has taken.
    private func left(_ channel: any Channel) -> Int { writtenByteCount - buffered(channel) }

    private func buffered(_ channel: any Channel) -> Int {
        let buffered = try? channel.syncOptions?.getOption(.bufferedWritableBytes)
        return buffered ?? 0
    }
}

extension Duration {
    init(_ amount: TimeAmount) { self = .nanoseconds(amount.nanoseconds) }
}
