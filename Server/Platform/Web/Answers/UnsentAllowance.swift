import Core
import HTTPServer
import NIOCore

/// How many unsent bytes of a file the kernel may hold for one connection.
///
/// With `ChannelLimits.unsentByteCount` a fast client empties the socket in less time than the server needs to be woken and to fill it again,
/// so each wake-up sends little. A connection that reads fast gets more, as long as the share of its account and network lasts: what the
/// kernel holds is memory, although not this process's. Stays on one event loop.
struct UnsentAllowance {
    private let channel: any Channel
    private let answers: AnswersInFlight
    private let requester: Requester
    private var share: SharedBudget.Share?

    init(_ channel: any Channel, _ answers: AnswersInFlight, _ requester: Requester) {
        self.channel = channel
        self.answers = answers
        self.requester = requester
    }

    /// The last bytes of a file, which are sent with the usual limit, so that the kernel holds no more than that when the share has been
    /// returned.
    var lastByteCount: Int64 { Int64(answers.limits.fastUnsentByteCount) }

    /// - Parameters:
    ///   - isFast: whether the client takes large regions quickly.
    ///   - remaining: bytes of the file that follow the next region.
    mutating func adapt(isFast: Bool, remaining: Int64) {
        if isFast, remaining >= lastByteCount { widen(to: answers.limits.fastUnsentByteCount) } else { narrow() }
    }

    private mutating func widen(to byteCount: Int) {
        guard share == nil, let share = answers.unsentShare(byteCount, requester) else { return }
        // Without the larger limit the response is only slower.
        guard (try? channel.limitUnsent(byteCount)) != nil else { return share.release() }
        self.share = share
    }

    /// Restores the usual limit and returns the share.
    mutating func narrow() {
        guard let share else { return }
        self.share = nil
        try? channel.limitUnsent(answers.limits.unsentByteCount)
        share.release()
    }
}
