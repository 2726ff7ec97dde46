import Core
package import HTTPServer
import Synchronization

/// What the bodies of all answers may hold until their clients have taken them: so many at a time, and so many bytes, of which one
/// account and one network get a part.
///
/// An answer that is under way is never refused and never waits for others: without a share of the bytes it goes on in pieces of
/// `AnswerWindow.least`, which every answer may have. So clients that stop reading cannot stop those that read.
package final class AnswersInFlight: Sendable {
    /// An answer's place. Given back by `release`, and by dropping the last reference to it.
    final class Place: Sendable {
        let requester: Requester
        fileprivate let count: SharedBudget.Share
        /// What its pieces hold beyond the least.
        let bytes: SharedBudget.Share
        /// The body, where that was made before it could be sent.
        fileprivate let made: SharedBudget.Share

        fileprivate init(_ requester: Requester, _ count: SharedBudget.Share, bytes: SharedBudget.Share, made: SharedBudget.Share) {
            self.requester = requester
            self.count = count
            self.bytes = bytes
            self.made = made
        }

        func release() {
            bytes.release()
            made.release()
            count.release()
        }
    }

    /// A body up to this size is written at once, whoever reads it: a connection of HTTP/1.1 holds one, and the streams of HTTP/2
    /// are counted. It is about what the system's socket takes anyway.
    static let smallByteCount = 16 * 1_024

    let limits: ChannelLimits
    private let counts: SharedBudget
    private let bytes: SharedBudget
    /// Apart from the pieces of files: those may become small when others use all of it, and a body that was made cannot.
    private let made: SharedBudget
    private let streams: SharedBudget
    private let refused = Atomic(0)
    private let short = Atomic(0)

    package init(limits: ChannelLimits) {
        self.limits = limits
        counts = SharedBudget(
            SharedBudget.Limits(
                total: limits.answers, perAccount: max(1, limits.answersPerNetwork / 2), perNetwork: limits.answersPerNetwork,
                reserve: limits.answers / 4, small: 16))
        bytes = SharedBudget(
            SharedBudget.Limits(
                total: limits.answerByteCount, perAccount: limits.answerByteCountPerNetwork, perNetwork: limits.answerByteCountPerNetwork))
        made = SharedBudget(
            SharedBudget.Limits(
                total: limits.madeAnswerByteCount, perAccount: limits.madeAnswerByteCount / 8, perNetwork: limits.madeAnswerByteCount / 4,
                reserve: limits.madeAnswerByteCount / 4, small: limits.madeAnswerByteCount / 32))
        streams = SharedBudget(
            SharedBudget.Limits(
                total: limits.streams, perAccount: limits.streams, perNetwork: limits.streamsPerNetwork, reserve: limits.streams / 4,
                small: 32))
    }

    /// Large answers that their clients have not taken to the end.
    package var count: Int { counts.held }
    /// What they hold of the budget.
    package var byteCount: Int { bytes.held + made.held }
    package var streamCount: Int { streams.held }
    /// Since the start.
    package var refusedCount: Int { refused.load(ordering: .relaxed) }
    /// Answers that go on in the smallest pieces, since they found no share of the bytes.
    package var shortCount: Int { short.load(ordering: .relaxed) }

    /// A place for a body that is about to be opened or made.
    /// - Parameter byteCount: what the body holds in memory already; 0 for one that is read piece by piece.
    /// - Throws: `.tooManyRequests` when the caller's network or account has too many, `.unavailable` when everybody together has.
    func enter(byteCount: Int = 0, _ requester: Requester) throws -> Place {
        do throws(SharedBudget.Refusal) {
            let count = try counts.share(1, of: requester)
            // One answer is always possible, however large it is.
            let made = try made.share(min(byteCount, limits.madeAnswerByteCount / 16), of: requester)
            return Place(requester, count, bytes: try bytes.share(0, of: requester), made: made)
        } catch {
            refused.add(1, ordering: .relaxed)
            switch error {
            case .total:
                throw Problem(.unavailable, "The server sends as many answers as it can. Try again shortly.", retryAfter: .seconds(5))
            case .account, .network:
                throw Problem(
                    .tooManyRequests, "Too many downloads from your network or account are unfinished. Read or close some of them.",
                    retryAfter: .seconds(5))
            }
        }
    }

    /// A place for a stream of HTTP/2, which one connection can open a hundred of.
    /// - Returns: `nil` when the network has too many open.
    func enterStream(_ requester: Requester) -> SharedBudget.Share? {
        do {
            return try streams.share(1, of: Requester(account: nil, network: requester.network))
        } catch {
            refused.add(1, ordering: .relaxed)
            return nil
        }
    }

    func countShort(_ change: Int) { short.add(change, ordering: .relaxed) }
}
