import Core
package import HTTPServer
import Synchronization

/// The bodies that are under way, and the bytes they hold: one budget for all, of which an account and a network have their shares.
package final class UnfinishedBodies: Sendable {
    private let limits: ChannelLimits
    private let uploads: SharedBudget
    /// Counts each upload link as if it were an account.
    private let links: SharedBudget
    private let bytes: SharedBudget
    private let refused = Mutex(0)

    package init(_ limits: ChannelLimits) {
        self.limits = limits
        uploads = SharedBudget(limits.unfinishedUploads)
        links = SharedBudget(.init(total: .max, perAccount: limits.unfinishedUploadsPerLink, perNetwork: .max))
        bytes = SharedBudget(limits.bodyBytes)
    }

    /// Uploads whose client is still sending, or whose files are being inspected.
    package var uploadCount: Int { uploads.held }
    package var byteCount: Int { bytes.held }
    /// Requests refused since the start because of either.
    package var refusedCount: Int { refused.withLock { $0 } }

    /// - Parameter link: names the upload link the request came by, if it came by one.
    /// - Throws: `Problem(.tooManyRequests)` when the link, the account or its network has too many already, `.unavailable` when all have.
    func beginUpload(of requester: Requester, link: String? = nil) throws -> UnfinishedBody {
        let ofLink = try link.map(countLink)
        do throws(SharedBudget.Refusal) {
            let place = try uploads.share(1, of: requester)
            let share = try bytes.share(limits.unfinishedBodyByteCount, of: requester)
            let places = [place, ofLink].compactMap { $0 }
            return UnfinishedBody(self, share, places, window: limits.uploadByteCount, patience: limits.bodyBytesWait)
        } catch {
            throw problem(error)
        }
    }

    /// A body that is held in memory until it is whole.
    /// - Throws: as `beginUpload`.
    func beginJSON(of requester: Requester) throws -> UnfinishedBody {
        do throws(SharedBudget.Refusal) {
            let share = try bytes.share(limits.unfinishedBodyByteCount, of: requester)
            return UnfinishedBody(self, share, [], window: .max, patience: .zero)
        } catch {
            throw problem(error)
        }
    }

    private func countLink(_ link: String) throws -> SharedBudget.Share {
        do {
            return try links.share(1, of: Requester(account: link, network: nil))
        } catch {
            refused.withLock { $0 += 1 }
            throw Problem(
                .tooManyRequests, "Too many uploads by this link are unfinished. Finish or close one of them first.",
                retryAfter: .seconds(5))
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
    /// Its places among the uploads.
    private let places: [SharedBudget.Share]
    /// Bytes that are counted at most: what an upload has written to the disk no longer counts.
    private let window: Int
    private let patience: Duration
    private let counted = Mutex(0)

    private static let pause = Duration.milliseconds(20)

    fileprivate init(
        _ bodies: UnfinishedBodies, _ bytes: SharedBudget.Share, _ places: [SharedBudget.Share], window: Int, patience: Duration
    ) {
        self.bodies = bodies
        self.bytes = bytes
        self.places = places
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
        for place in places { place.release() }
    }
}
