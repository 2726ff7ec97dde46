import Core
import NIOCore

/// How long a connection of HTTP/1 has waited for its client, and for what. One timer a connection, set anew only when the next
/// deadline lies before it: a request that comes and goes in time costs none.
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
    /// Since when a read waits for bytes of a body. While the server does not read, the client's time does not run.
    private var waitingSince: NIODeadline?
    /// The client waits for `100 Continue`, so nothing is due from it.
    private var isPaused = false
    private var answerRate: MinimumRate
    /// Since when bytes of an answer wait, and how many had left before.
    private var blocked: (since: NIODeadline, leftByteCount: Int)?
    private var writtenByteCount = 0
    /// Answers whose last byte was written and has not left; and whether anything was written since the last of them.
    private var unsent = (answerCount: 0, hasMore: false)
    private var timer: (task: Scheduled<Void>, at: NIODeadline)?

    init(limits: ChannelLimits) {
        self.limits = limits
        bodyRate = limits.body
        answerRate = limits.answer
    }

    // MARK: What happens

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
        // What is left of the body is dropped, for as long as `linger` allows.
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

    /// The last byte of an answer was written. `answerLeft` follows.
    mutating func wroteAnswer() { unsent = (unsent.answerCount + 1, false) }

    /// The last byte of an answer has left, within `flush` where the socket takes all of it.
    mutating func answerLeft() {
        unsent.answerCount -= 1
        if hasAllLeft { blocked = nil }
    }

    private var hasAllLeft: Bool { unsent.answerCount == 0 && !unsent.hasMore }

    /// Everything written was handed to the socket; what it did not take waits. Asked here, and not only when the channel is full:
    /// the pieces of an answer are too small to fill it.
    /// - Returns: whether something may wait, so that the clock has to be armed.
    mutating func flushed(_ channel: any Channel) -> Bool {
        // The channel answers slowly, and most answers have left at once.
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

    // MARK: What is due

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
        // Looked at more often than it can end, since nobody tells when bytes leave.
        let look = blocked.since + TimeAmount(min(max(answerRate.left, .milliseconds(10)), answerRate.ceiling / 8))
        return min(deadline ?? look, look)
    }

    mutating func expired(_ phase: RequestGate.Phase, _ channel: any Channel) -> Verdict {
        timer = nil
        let now = NIODeadline.now()
        if blocked != nil, buffered(channel) == 0 {
            // It has left in the meantime; nobody tells.
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

    /// Bytes that have left for the network.
    private func left(_ channel: any Channel) -> Int { writtenByteCount - buffered(channel) }

    private func buffered(_ channel: any Channel) -> Int {
        let buffered = try? channel.syncOptions?.getOption(.bufferedWritableBytes)
        return buffered ?? 0
    }
}

extension Duration {
    init(_ amount: TimeAmount) { self = .nanoseconds(amount.nanoseconds) }
}
