package import Core
package import HTTPServer
import HTTPTypes
import Synchronization

/// Counts the request bodies in progress and the bytes that they hold. All requests share one budget; an account and a network can use only
/// a part of it.
package final class UnfinishedBodies: Sendable {
    private let limits: ChannelLimits
    private let uploads: SharedBudget
    /// Counts each upload link as if it were an account.
    private let links: SharedBudget
    private let bytes: SharedBudget
    private let refused = Mutex(0)

    /// - Parameter received: the budget for all bytes from clients.
    package init(_ limits: ChannelLimits, received: SharedBudget? = nil) {
        self.limits = limits
        uploads = SharedBudget(limits.unfinishedUploads)
        links = SharedBudget(.init(total: .max, perAccount: limits.unfinishedUploadsPerLink, perNetwork: .max))
        bytes = SharedBudget(limits.bodyBytes, partOf: received)
    }

    /// Uploads whose client is still sending, or whose files are being inspected.
    package var uploadCount: Int { uploads.held }
    package var byteCount: Int { bytes.held }
    /// Requests refused since the start because the limit of uploads or the limit of bytes was reached.
    package var refusedCount: Int { refused.withLock { $0 } }

    /// - Parameter link: the name of the upload link; `nil` when the request has none.
    /// - Throws: `Problem(.tooManyRequests)` when the link, the account or its network has too many uploads; `.unavailable` when there
    ///   are too many in total.
    func beginUpload(of requester: Requester, link: String? = nil) throws -> UnfinishedBody {
        let ofLink = try link.map(countLink)
        do throws(SharedBudget.Refusal) {
            let slot = try uploads.share(1, of: requester)
            let share = try bytes.share(limits.unfinishedBodyByteCount, of: requester)
            let slots = [slot, ofLink].compactMap { $0 }
            return UnfinishedBody(self, share, slots, window: limits.uploadByteCount)
        } catch {
            throw problem(error)
        }
    }

    /// Counts a body that the server holds in memory until it is complete.
    /// - Throws: as `beginUpload`.
    func beginJSON(of requester: Requester) throws -> UnfinishedBody {
        do throws(SharedBudget.Refusal) {
            let share = try bytes.share(limits.unfinishedBodyByteCount, of: requester)
            return UnfinishedBody(self, share, [], window: .max)
        } catch {
            throw problem(error)
        }
    }

    /// Counts a long head, which stays in memory until the response has been made and, in some cases, sent.
    /// - Returns: `nil` for the head of an ordinary request, which is short.
    /// - Throws: as `beginUpload`.
    func countHead(_ head: HTTPRequest, of requester: Requester) throws -> SharedBudget.Share? {
        var byteCount = head.path?.utf8.count ?? 0
        // A name is stored twice, as it was sent and in lower case.
        for field in head.headerFields { byteCount += 2 * field.name.rawName.utf8.count + field.value.utf8.count }
        byteCount += max(0, head.headerFields.count - Self.usualFieldCount) * Self.fieldByteCount
        return byteCount > limits.shortHeadByteCount ? try count(byteCount, of: requester) : nil
    }

    /// Browsers send up to 20 fields. Their memory is a part of what a connection counts for.
    private static let usualFieldCount = 24
    /// What a field takes in memory, in bytes, however short it is: 69 fields take 26 KB.
    private static let fieldByteCount = 256

    /// Counts memory that a handler uses.
    /// - Throws: as `beginUpload`.
    func count(_ byteCount: Int, of requester: Requester) throws -> SharedBudget.Share {
        do throws(SharedBudget.Refusal) {
            return try bytes.share(byteCount, of: requester)
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
                .tooManyRequests, "Too many long requests of this account are unfinished. Finish some of them first.",
                retryAfter: .seconds(5))
        case .network:
            Problem(
                .tooManyRequests, "Too many long requests of this network are unfinished. Try again shortly.",
                retryAfter: .seconds(5))
        case .total:
            Problem(.unavailable, "The server is receiving as much data as it can. Try again shortly.", retryAfter: .seconds(2))
        }
    }
}

/// One body in progress. `end`, or the release of its last reference, returns its share to the budget.
final class UnfinishedBody: Sendable {
    private let bodies: UnfinishedBodies
    private let bytes: SharedBudget.Share
    /// Its shares of the upload counts: of the account and, if it came by an upload link, of the link.
    private let slots: [SharedBudget.Share]
    /// The most bytes that count for this body. An upload holds no more than this: it writes the rest to disk.
    private let window: Int
    private let state = Mutex(State())

    private struct State {
        /// Bytes that this body takes from the budget.
        var countedByteCount = 0
        /// Bytes that arrived since the upload last wrote all of them to disk.
        var heldByteCount = 0
    }

    fileprivate init(_ bodies: UnfinishedBodies, _ bytes: SharedBudget.Share, _ slots: [SharedBudget.Share], window: Int) {
        self.bodies = bodies
        self.bytes = bytes
        self.slots = slots
        self.window = window
    }

    /// Counts bytes that stay in memory until the body is complete.
    /// - Throws: as `UnfinishedBodies.beginUpload`.
    func hold(_ byteCount: Int) throws {
        do throws(SharedBudget.Refusal) {
            try bytes.grow(by: byteCount)
        } catch {
            throw bodies.problem(error)
        }
    }

    /// Counts bytes of an upload, which stay in memory until there are enough of them for a write to disk.
    /// - Returns: whether the budget has room for them. Otherwise the upload has to write the bytes of its files to disk at once, and to call
    ///   `wrote`.
    func keep(_ byteCount: Int) -> Bool {
        state.withLock { state in
            state.heldByteCount = min(state.heldByteCount + byteCount, window)
            let more = state.heldByteCount - state.countedByteCount
            guard more > 0 else { return true }
            guard (try? bytes.grow(by: more)) != nil else { return false }
            state.countedByteCount += more
            return true
        }
    }

    /// The upload has written the bytes of its files to disk.
    /// - Parameter byteCount: bytes that stay in memory, such as texts.
    /// - Throws: as `UnfinishedBodies.beginUpload`, when the budget has no room for these bytes.
    func wrote(keeping byteCount: Int) throws {
        let missing = state.withLock { state in
            state.heldByteCount = min(byteCount, window)
            return byteCount - state.countedByteCount
        }
        guard missing > Self.freeByteCount else { return }
        try hold(missing)
        state.withLock { $0.countedByteCount += missing }
    }

    /// Counts at least `byteCount` bytes.
    /// - Throws: as `UnfinishedBodies.beginUpload`, when the budget has no room for them.
    func reserve(_ byteCount: Int) throws {
        let more = byteCount - bytes.amount
        if more > 0 { try hold(more) }
    }

    /// Ends the upload. Call `reserve` before. What the handler keeps of the upload counts until the response has been made.
    /// - Parameter byteCount: the memory that the handler uses for it.
    func finish(keeping byteCount: Int) {
        for slot in slots { slot.release() }
        bytes.shrink(by: bytes.amount - byteCount)
    }

    /// How many bytes of texts `ChannelLimits.unfinishedBodyByteCount` covers.
    private static let freeByteCount = 16_384

    func end() {
        bytes.release()
        for slot in slots { slot.release() }
    }
}
