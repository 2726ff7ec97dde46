package import Core
import NIOCore
import Synchronization

/// The shared budget for bytes of bodies that no handler has taken yet, beyond `ChannelLimits.unreadByteCount` for each connection.
package final class ReadAhead: Sendable {
    private let limits: ChannelLimits
    private let budget: SharedBudget
    private let keptReads: SharedBudget

    /// - Parameter received: the budget for all bytes from clients.
    package init(_ limits: ChannelLimits, received: SharedBudget? = nil) {
        self.limits = limits
        budget = SharedBudget(limits.readAhead, partOf: received)
        keptReads = SharedBudget(limits.keptReads)
    }

    package var held: Int { budget.held }

    /// - Parameter network: the network whose share the connection uses; `nil` for a trusted proxy, which carries many clients.
    func connection(_ eventLoop: any EventLoop, network: Network?) -> UnreadBytes {
        let requester = Requester(account: nil, network: network)
        let larger = ReadSizes.Larger(
            byteCount: limits.keptReadByteCount, cost: 2 * limits.keptReadByteCount, budget: keptReads, requester: requester)
        return UnreadBytes(
            eventLoop, limits, budget, requester: requester, keptReads: ReadSizes(most: limits.firstKeptReadByteCount, larger: larger))
    }
}

/// Counts the bytes of bodies that arrived on one connection and that no handler has taken yet. When there are too many bytes, the server
/// stops reading from the connection: TCP then slows down its client, including the other streams of an HTTP/2 connection. The flow-control
/// windows of streams cannot bound these bytes: a hundred streams with a window that suits one upload would hold 125 MB.
final class UnreadBytes: Sendable {
    private struct State {
        var count = 0
        /// The part of `count` on HTTP/2 streams whose handlers have taken nothing yet.
        var untakenCount = 0
        /// The number of all bytes that have arrived, whether they are counted in `count` or not any more.
        var arrivedCount = 0
        /// `arrivedCount` when the current body began; `nil` over HTTP/2, where a connection has several bodies at a time.
        var countBeforeBody: Int?
        var extra: SharedBudget.Share?
        /// The share for a read of more than `ChannelLimits.unreadByteCount`.
        var largeRead: SharedBudget.Share?
        /// Bytes that have arrived since the server last began a read.
        var countSinceRead = 0
        /// The share for bytes that arrived although the server did not read.
        var kept: SharedBudget.Share?
        var isPaused = false

        /// Whether the handler of the request has taken bytes of its body.
        var isBodyTaken: Bool { countBeforeBody.map { arrivedCount - count > $0 } ?? true }
    }

    private let own: Int
    private let untaken: Int
    private let most: Int
    private let step: Int
    private let budget: SharedBudget
    private let requester: Requester
    /// The sizes of reads for a connection whose handlers keep a buffer of its largest read.
    let keptReads: ReadSizes
    private let state = Mutex(State())
    private let eventLoop: any EventLoop
    private let onRoom: NIOLoopBoundBox<(() -> Void)?>

    fileprivate init(
        _ eventLoop: any EventLoop, _ limits: ChannelLimits, _ budget: SharedBudget, requester: Requester, keptReads: ReadSizes
    ) {
        self.eventLoop = eventLoop
        self.budget = budget
        self.requester = requester
        self.keptReads = keptReads
        own = limits.unreadByteCount
        untaken = min(limits.heldByteCount, limits.unreadByteCount)
        most = max(limits.unreadByteCount, limits.mostUnreadByteCount)
        step = max(1, limits.readByteCount)
        onRoom = NIOLoopBoundBox(nil, eventLoop: eventLoop)
    }

    var count: Int { state.withLock { $0.count } }

    /// Call this when the head of a request has arrived over HTTP/1.1.
    func bodyBegins() { state.withLock { $0.countBeforeBody = $0.arrivedCount } }

    /// Whether the handler of the request has taken bytes of its body (HTTP/1.1).
    var isBodyTaken: Bool { state.withLock { $0.isBodyTaken } }

    /// Sets the handler that is called on the event loop when reading may continue after `isFull` returned true. Call this on the event
    /// loop.
    func whenRoom(_ handler: (() -> Void)?) { onRoom.value = handler }

    /// Whether the server must stop reading from the connection. If so, the handler of `whenRoom` is called when it may continue.
    func isFull() -> Bool {
        state.withLock { state in
            let untakenCount = state.isBodyTaken ? state.untakenCount : state.count
            let isUntakenFull = untakenCount >= untaken
            let allowed = own + (state.extra?.amount ?? 0)
            if !isUntakenFull, state.count < allowed { return false }
            if !isUntakenFull, state.count < most {
                do throws(SharedBudget.Refusal) {
                    if let extra = state.extra { try extra.grow(by: step) } else { state.extra = try budget.share(step, of: requester) }
                    return false
                } catch {}
            }
            state.isPaused = true
            return true
        }
    }

    /// Takes a share of the budget for reads of up to `ChannelLimits.readByteCount`, until `endLargeReads`.
    /// - Returns: whether the budget has room for them.
    func beginLargeReads() -> Bool {
        state.withLock { state in
            if state.largeRead == nil { state.largeRead = try? budget.share(step, of: requester) }
            return state.largeRead != nil
        }
    }

    func endLargeReads() { state.withLock { $0.largeRead = nil } }

    /// Call this when the server reads from the connection.
    /// - Returns: the bytes that the previous read brought.
    @discardableResult func readBegins() -> Int {
        state.withLock { state in
            defer { state.countSinceRead = 0 }
            return state.countSinceRead
        }
    }

    /// Call this when bytes arrive, before they are decoded. When a client ends the connection, NIO reads everything that is left, although
    /// the server has not asked for it. What exceeds one read takes a share of the budget, until the connection closes.
    /// - Returns: whether the budget has room for the bytes.
    func mayTake(_ byteCount: Int, mostOfRead: @autoclosure () -> Int) -> Bool {
        let count = state.withLock { state in
            state.countSinceRead += byteCount
            return state.countSinceRead
        }
        return count <= own || count <= mostOfRead() || keep(byteCount)
    }

    private func keep(_ byteCount: Int) -> Bool {
        state.withLock { state in
            do throws(SharedBudget.Refusal) {
                if let kept = state.kept { try kept.grow(by: byteCount) } else { state.kept = try budget.share(byteCount, of: requester) }
                return true
            } catch {
                return false
            }
        }
    }

    /// A share of the budget for requests that the client sends ahead.
    func share(_ byteCount: Int) throws(SharedBudget.Refusal) -> SharedBudget.Share { try budget.share(byteCount, of: requester) }

    fileprivate func add(_ byteCount: Int, untakenByteCount: Int) {
        state.withLock { state in
            state.count += byteCount
            state.untakenCount += untakenByteCount
            state.arrivedCount += byteCount
        }
    }

    fileprivate func subtract(_ byteCount: Int, untakenByteCount: Int) {
        let hasRoom = state.withLock { state in
            state.count -= byteCount
            state.untakenCount -= untakenByteCount
            if state.count < own { state.extra = nil }
            // Do not resume for every byte: wait until half of the connection's own bytes are free. Bodies that no handler takes do not
            // count here, because they may stay for long.
            guard state.isPaused, state.count - state.untakenCount <= own / 2, state.untakenCount < untaken else { return false }
            state.isPaused = false
            return true
        }
        guard hasRoom else { return }
        eventLoop.execute { [onRoom] in onRoom.value?() }
    }

    /// A meter for one HTTP/2 stream.
    func streamMeter() -> BodyMeter { BodyMeter(self, isTaken: false) }

    /// A meter for one HTTP/1.1 connection. `bodyBegins` tells it where a body begins.
    func connectionMeter() -> BodyMeter { BodyMeter(self, isTaken: true) }
}

/// Counts the bytes of one stream or HTTP/1 connection that have arrived and that its handler has not taken.
final class BodyMeter: Sendable {
    private struct State {
        /// The bytes that are counted now; `nil` after `end`.
        var held: Int? = 0
        /// Whether the handler has taken bytes.
        var isTaken: Bool
    }

    private let unread: UnreadBytes
    private let state: Mutex<State>

    fileprivate init(_ unread: UnreadBytes, isTaken: Bool) {
        self.unread = unread
        state = Mutex(State(isTaken: isTaken))
    }

    deinit { end() }

    func arrived(_ bytes: ByteBuffer) {
        let cost = Self.cost(bytes)
        let untaken = state.withLock { state -> Int? in
            guard let before = state.held else { return nil }
            state.held = before + cost
            return state.isTaken ? 0 : cost
        }
        if let untaken { unread.add(cost, untakenByteCount: untaken) }
    }

    func taken(_ bytes: ByteBuffer) {
        let cost = Self.cost(bytes)
        let (given, untaken) = state.withLock { state -> (Int, Int) in
            guard let before = state.held else { return (0, 0) }
            let given = min(before, cost)
            state.held = before - given
            defer { state.isTaken = true }
            return (given, state.isTaken ? 0 : before)
        }
        if given > 0 { unread.subtract(given, untakenByteCount: untaken) }
    }

    /// Call this when no handler will take the remaining bytes. Further calls do nothing.
    func end() {
        let (left, untaken) = state.withLock { state -> (Int, Int) in
            defer { state.held = nil }
            let left = state.held ?? 0
            return (left, state.isTaken ? 0 : left)
        }
        if left > 0 { unread.subtract(left, untakenByteCount: untaken) }
    }

    /// What a piece counts for, in bytes. A small piece costs more than its bytes: an entry in a queue, and a part of the read buffer that
    /// it keeps alive.
    private static func cost(_ bytes: ByteBuffer) -> Int { max(bytes.readableBytes, 512) }
}
