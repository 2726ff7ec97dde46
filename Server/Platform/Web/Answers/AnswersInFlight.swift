import Blobs
package import Core
package import HTTPServer
import Hummingbird
import Synchronization

/// Limits how many long responses are in flight and how many bytes they hold until their clients have read them. One account and one
/// network can use only a part.
///
/// The server never refuses or stops a response that it has begun. A response without a share of the bytes continues in pieces of
/// `AnswerWindow.least`, which every response may hold. So clients that stop reading cannot stop those that read. For the same reason, a
/// body that is complete in memory, but for which there is no room, is written to the disk and sent from there (`StoredAnswers`).
package final class AnswersInFlight: Sendable {
    /// A response's slot. `release`, or the release of its last reference, frees it.
    final class Slot: Sendable {
        let requester: Requester
        fileprivate let count: SharedBudget.Share
        /// Bytes that its pieces hold beyond `AnswerWindow.least`.
        let bytes: SharedBudget.Share
        /// Bytes of a body that was complete in memory before it was sent.
        fileprivate let made: SharedBudget.Share
        /// Bytes of such a body beyond the share of an account. They count for the network alone.
        fileprivate let beyond: SharedBudget.Share

        fileprivate init(
            _ requester: Requester, _ count: SharedBudget.Share, bytes: SharedBudget.Share, made: SharedBudget.Share,
            beyond: SharedBudget.Share
        ) {
            self.requester = requester
            self.count = count
            self.bytes = bytes
            self.made = made
            self.beyond = beyond
        }

        func release() {
            bytes.release()
            made.release()
            beyond.release()
            count.release()
        }
    }

    /// A body of at most this size, in bytes, is written at once without a slot. An HTTP/1.1 connection holds one such body, and HTTP/2
    /// streams have a limit of their own. The kernel's socket buffer takes about as much anyway.
    static let smallByteCount = 16 * 1_024

    let limits: ChannelLimits
    private let counts: SharedBudget
    private let remote: SharedBudget
    private let bytes: SharedBudget
    /// The budget for bodies that are complete in memory. It is separate from the budget for the pieces of files: pieces can shrink when
    /// their budget is used up, a body in memory cannot.
    private let made: SharedBudget
    private let streams: SharedBudget
    private let events: SharedBudget
    private let unsent: SharedBudget
    private let stored: StoredAnswers?
    private let refused = Atomic(0)
    private let short = Atomic(0)

    /// - Parameters:
    ///   - unsent: the budget for all bytes to clients (`ClientMemory`).
    ///   - folder: for the files of responses that have no room in memory; `nil` refuses these responses.
    package init(limits: ChannelLimits, unsent whole: SharedBudget? = nil, folder: String? = nil) {
        self.limits = limits
        stored = folder.map { StoredAnswers(folder: $0, limits) }
        counts = SharedBudget(
            SharedBudget.Limits(
                total: limits.answers, perAccount: max(1, limits.answersPerNetwork / 2), perNetwork: limits.answersPerNetwork,
                reserve: limits.answers / 4, small: 16))
        remote = SharedBudget(
            SharedBudget.Limits(
                total: limits.remoteAnswers, perAccount: max(1, limits.remoteAnswersPerNetwork / 2),
                perNetwork: limits.remoteAnswersPerNetwork, reserve: limits.remoteAnswers / 4, small: 8))
        bytes = SharedBudget(
            SharedBudget.Limits(
                total: limits.answerByteCount, perAccount: limits.answerByteCountPerNetwork, perNetwork: limits.answerByteCountPerNetwork),
            partOf: whole)
        made = SharedBudget(
            SharedBudget.Limits(
                total: limits.madeAnswerByteCount, perAccount: limits.madeAnswerByteCount / 6, perNetwork: limits.madeAnswerByteCount / 3,
                reserve: limits.madeAnswerByteCount / 2, small: limits.madeAnswerByteCount / 12),
            partOf: whole)
        unsent = SharedBudget(limits.fastUnsent)
        // An event stream takes a slot of `counts`, too. The shares of accounts and networks here are smaller than those in `counts`, so
        // that an account or a network can still download while its streams stay open.
        events = SharedBudget(
            SharedBudget.Limits(
                total: limits.answers * 3 / 4, perAccount: max(1, limits.answersPerNetwork * 3 / 8),
                perNetwork: limits.answersPerNetwork * 3 / 4))
        streams = SharedBudget(
            SharedBudget.Limits(
                total: limits.streams, perAccount: limits.streams, perNetwork: limits.streamsPerNetwork, reserve: limits.streamsReserved,
                small: 32))
    }

    /// The number of long responses that their clients have not read to the end.
    package var count: Int { counts.held }
    /// Bytes that those responses hold of the budgets.
    package var byteCount: Int { bytes.held + made.held }
    /// Bytes on the disk of responses that had no room in memory.
    package var storedByteCount: Int { stored?.byteCount ?? 0 }
    package var streamCount: Int { streams.held }
    /// Bytes that the kernel may hold for connections that read quickly, beyond the usual limit of a connection.
    package var unsentByteCount: Int { unsent.held }
    /// Responses and streams refused since the start.
    package var refusedCount: Int { refused.load(ordering: .relaxed) }
    /// Responses that continue in the smallest pieces, because the byte budget, or their client's share of it, is used up.
    package var shortCount: Int { short.load(ordering: .relaxed) }

    /// Takes a slot for a body that the caller is about to open or make.
    /// - Parameter isAfterChange: whether the request may have changed something, because its method is not GET. Then this returns a slot
    ///   even above the limits.
    /// - Throws: `.tooManyRequests` when the caller's network or account has too many long responses; `.unavailable` when there are too
    ///   many in total. Does not throw if `isAfterChange`, unless the server has no folder for responses on disk.
    func enter(_ requester: Requester, isAfterChange: Bool = false) throws -> Slot {
        do throws(SharedBudget.Refusal) {
            let count: SharedBudget.Share
            do {
                count = try counts.share(1, of: requester)
            } catch {
                guard isAfterChange, stored != nil else { throw error }
                count = try counts.share(0, of: requester)
            }
            let made = try made.share(0, of: requester)
            let beyond = try self.made.share(0, of: Requester(account: nil, network: requester.network))
            return Slot(requester, count, bytes: try bytes.share(0, of: requester), made: made, beyond: beyond)
        } catch {
            throw problem(error)
        }
    }

    /// Sets how much memory the slot counts for its body, which is complete in memory or soon will be. Replaces the earlier count.
    /// - Parameters:
    ///   - byteCount: the length of the body.
    ///   - isAfterChange: as for `enter`.
    /// - Returns: `false` if the body must go to disk: all responses together leave no room, or the share of the account or network leaves
    ///   none and `isAfterChange` is `true`. The slot then counts no memory for the body; write it with `store`.
    /// - Throws: as `enter`.
    func hold(_ byteCount: Int, in slot: Slot, isAfterChange: Bool = false) throws -> Bool {
        let cost = costOfMade(byteCount)
        do throws(SharedBudget.Refusal) {
            try slot.made.change(to: cost.ofAccount)
            try slot.beyond.change(to: cost.beyond)
            return true
        } catch {
            slot.made.release()
            slot.beyond.release()
            guard error == .total || isAfterChange, stored != nil else { throw problem(error) }
            return false
        }
    }

    /// Writes a complete body to the disk, from where it can be sent.
    /// - Parameters:
    ///   - isAfterChange, begin: as for `StoredAnswers.store`.
    ///   - onFailure: receives the error if the body cannot be written, for example because the disk is full.
    /// - Throws: as `enter`.
    func store(
        _ body: ResponseBody, byteCount: Int, in slot: Slot, isAfterChange: Bool, begin: () -> Void, onFailure: (any Error) -> Void
    ) async throws -> TemporaryBlob {
        guard let stored else { throw problem(.total) }
        do {
            return try await stored.store(body, byteCount: byteCount, of: slot.requester, isAfterChange: isAfterChange, begin: begin)
        } catch let refusal as SharedBudget.Refusal {
            throw problem(refusal)
        } catch let error as CancellationError {
            throw error
        } catch {
            onFailure(error)
            throw problem(.total)
        }
    }

    /// What an account may hold of the budget for bodies in memory, in bytes. Pages of lists stay below it (`WebContext.shorteningPage`).
    var mostOfAccount: Int { limits.madeAnswerByteCount / 6 }
    private var mostOfNetwork: Int { limits.madeAnswerByteCount / 3 }

    /// What a body of `byteCount` bytes in memory counts for: the memory that it occupies, but at most three quarters of the share of one
    /// network. So a network that holds no other response can always have one, however large it is, and its other accounts have the rest.
    private func costOfMade(_ byteCount: Int) -> (ofAccount: Int, beyond: Int) {
        let cost = min(byteCount.bufferCapacity, mostOfNetwork / 4 * 3)
        return (min(cost, mostOfAccount), max(0, cost - mostOfAccount))
    }

    /// Takes a connection to the object store, in addition to a slot.
    /// - Throws: as `enter`.
    func enterRemote(_ requester: Requester) throws -> SharedBudget.Share {
        do throws(SharedBudget.Refusal) {
            return try remote.share(1, of: requester)
        } catch {
            throw problem(error)
        }
    }

    /// Takes a slot for a stream of events, which stays open for a long time. The stream needs it in addition to the slot that `enter`
    /// returned.
    /// - Throws: as `enter`.
    func enterEvents(_ requester: Requester) throws -> SharedBudget.Share {
        do throws(SharedBudget.Refusal) {
            return try events.share(1, of: requester)
        } catch {
            throw problem(error)
        }
    }

    /// The problem for a refusal. This also counts the refusal.
    private func problem(_ refusal: SharedBudget.Refusal) -> Problem {
        refused.add(1, ordering: .relaxed)
        switch refusal {
        case .total:
            return Problem(.unavailable, "The server sends as many responses as it can. Try again shortly.", retryAfter: .seconds(5))
        case .account, .network:
            return Problem(
                .tooManyRequests, "Too many downloads from your network or account are unfinished. Read or close some of them.",
                retryAfter: .seconds(5))
        }
    }

    /// Takes a slot for an HTTP/2 stream. One connection can open a hundred of them.
    /// - Returns: `nil` when the network has too many streams open.
    func enterStream(_ requester: Requester) -> SharedBudget.Share? {
        do {
            return try streams.share(1, of: Requester(account: nil, network: requester.network))
        } catch {
            refused.add(1, ordering: .relaxed)
            return nil
        }
    }

    /// Takes a share of `ChannelLimits.fastUnsent`.
    /// - Returns: `nil` when the share of the requester's account or network is used up.
    func unsentShare(_ byteCount: Int, _ requester: Requester) -> SharedBudget.Share? { try? unsent.share(byteCount, of: requester) }

    func countShort(_ change: Int) { short.add(change, ordering: .relaxed) }
}
