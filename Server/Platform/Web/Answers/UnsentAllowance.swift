import Core
import HTTPServer
import NIOCore

/// How many unsent bytes of a file the kernel may hold for one connection.
///
/// With `ChannelLimits.unsentByteCount`, a fast client empties the socket before the server has woken up and filled it again, so each
/// wake-up sends little. A connection that reads fast therefore gets a larger limit, while the share of its account and network lasts. The
/// share exists because the bytes occupy memory of the kernel. Use a value on one event loop only.
struct UnsentAllowance {
    private let channel: any Channel
    private let answers: AnswersInFlight
    let requester: Requester
    private var share: SharedBudget.Share?

    init(_ channel: any Channel, _ answers: AnswersInFlight, _ requester: Requester) {
        self.channel = channel
        self.answers = answers
        self.requester = requester
    }

    /// - Parameters:
    ///   - isFast: whether the client takes the largest regions quickly.
    ///   - remaining: bytes of the file after the next region. The last regions are sent with the usual limit, so that the kernel holds no
    ///     more than that limit after the share has been returned.
    mutating func adjustLimit(isFast: Bool, remaining: Int64) {
        let most = answers.limits.fastUnsentByteCount
        if isFast, remaining > Int64(most) { raiseLimit(to: most) } else { restoreLimit() }
    }

    private mutating func raiseLimit(to byteCount: Int) {
        guard share == nil, let share = answers.unsentShare(byteCount, requester) else { return }
        // If the larger limit cannot be set, the response is only slower.
        guard (try? channel.limitUnsent(byteCount)) != nil else { return share.release() }
        self.share = share
    }

    /// Restores the usual limit and returns the share.
    mutating func restoreLimit() {
        guard let share else { return }
        self.share = nil
        try? channel.limitUnsent(answers.limits.unsentByteCount)
        share.release()
    }
}
