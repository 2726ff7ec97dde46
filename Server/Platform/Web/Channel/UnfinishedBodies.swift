import Core
import Synchronization

/// The bodies that are under way, and the bytes they hold: one budget for all, of which an account and a network have their shares.
package final class UnfinishedBodies: Sendable {
    private let limits: ChannelLimits
    private let uploads: SharedBudget
    private let bytes: SharedBudget
    private let refused = Mutex(0)

    package init(_ limits: ChannelLimits) {
        self.limits = limits
        uploads = SharedBudget(limits.unfinishedUploads)
        bytes = SharedBudget(limits.bodyBytes)
    }

    /// Uploads whose client is still sending, or whose files are being inspected.
    package var uploadCount: Int { uploads.held }
    package var byteCount: Int { bytes.held }
    /// Requests refused since the start because of either.
    package var refusedCount: Int { refused.withLock { $0 } }

    /// - Throws: `Problem(.tooManyRequests)` when the account or its network has too many already, `.unavailable` when all have.
    func beginUpload(of requester: Requester) throws -> UnfinishedBody {
        do throws(SharedBudget.Refusal) {
            let place = try uploads.share(1, of: requester)
            let share = try bytes.share(limits.unfinishedBodyByteCount, of: requester)
            return UnfinishedBody(self, share, place, window: limits.uploadByteCount, patience: limits.bodyBytesWait)
        } catch {
            throw problem(error)
        }
    }

    /// A body that is held in memory until it is whole.
    /// - Throws: as `beginUpload`.
    func beginJSON(of requester: Requester) throws -> UnfinishedBody {
        do throws(SharedBudget.Refusal) {
            let share = try bytes.share(limits.unfinishedBodyByteCount, of: requester)
            return UnfinishedBody(self, share, nil, window: .max, patience: .zero)
        } catch {
            throw problem(error)
        }
    }

    fileprivate func problem(_ refusal: SharedBudget.Refusal) -> Problem {
        refused.withLock { $0 += 1 }
        return switch refusal {
        case .account:
            Problem(
                .tooManyRequests, "Too many requests of this account are still sending their bodies. Finish some of them first.",
                retryAfter: .seconds(5))
        case .network:
            Problem(
                .tooManyRequests, "Too many requests of this network are still sending their bodies. Try again shortly.",
                retryAfter: .seconds(5))
        case .total:
            Problem(.unavailable, "The server is taking in as much as it can. Try again shortly.", retryAfter: .seconds(2))
        }
    }
}

/// One body that is under way. What it holds of the budget goes back with `end`, or with the last reference to it.
final class UnfinishedBody: Sendable {
    private let bodies: UnfinishedBodies
    private let bytes: SharedBudget.Share
    private let place: SharedBudget.Share?
    /// Bytes that are counted at most: what an upload has written to the disk no longer counts.
    private let window: Int
    private let patience: Duration
    private let counted = Mutex(0)

    private static let pause = Duration.milliseconds(20)

    fileprivate init(
        _ bodies: UnfinishedBodies, _ bytes: SharedBudget.Share, _ place: SharedBudget.Share?, window: Int, patience: Duration
    ) {
        self.bodies = bodies
        self.bytes = bytes
        self.place = place
        self.window = window
        self.patience = patience
    }

    /// Counts bytes that arrived. Where there is no room an upload waits for some, for `ChannelLimits.bodyBytesWait` at most: nothing is read
    /// of its connection meanwhile, and its client's time does not run.
    /// - Throws: as `UnfinishedBodies.beginUpload`.
    func hold(_ byteCount: Int) async throws {
        let more = counted.withLock { min(byteCount, window - $0) }
        guard more > 0 else { return }
        let end = ContinuousClock.now + patience
        while true {
            do throws(SharedBudget.Refusal) {
                try bytes.grow(by: more)
                counted.withLock { $0 += more }
                return
            } catch {
                guard ContinuousClock.now < end else { throw bodies.problem(error) }
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    func end() {
        bytes.release()
        place?.release()
    }
}
