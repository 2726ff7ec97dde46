import Core
import DequeModule
import NIOCore
import Synchronization

/// Lets the HTTP/2 connections of one network take turns when they open many streams.
///
/// One read may bring a hundred requests, and a network may have 256 connections. Requests that need no handler, such as health checks and
/// refusals, are answered on the event loop. If one pass of the loop read all these connections, the other connections would wait for
/// seconds.
final class StreamTurns: Sendable {
    /// Streams that a network may open on one event loop within `interval` before its connections take turns.
    static let streamCount = 64
    /// Further streams in the same interval are refused: their bytes had arrived before their connections had to wait.
    static let mostStreams = 512
    /// Also the least time between two turns of a network. While the loop is busy, each of its passes takes longer, and gives one turn.
    static let interval = TimeAmount.milliseconds(1)
    /// How long a turn lasts at most when nothing arrives on the connection that has it.
    static let turnTime = TimeAmount.milliseconds(10)

    private let loops = Mutex<[ObjectIdentifier: OfLoop]>([:])

    /// The turns on one event loop. Call this on that loop.
    func on(_ eventLoop: any EventLoop) -> OfLoop {
        loops.withLock { loops in
            if let turns = loops[ObjectIdentifier(eventLoop)] { return turns }
            let turns = OfLoop(eventLoop)
            loops[ObjectIdentifier(eventLoop)] = turns
            return turns
        }
    }

    /// Call all methods on the event loop.
    final class OfLoop: Sendable {
        private struct Waiting {
            let isClosed: () -> Bool
            let onTurn: () -> Void
        }

        private struct State {
            /// Streams opened in this interval.
            var opened: [Network: Int] = [:]
            /// Connections that wait for their turn to be read, each at most once.
            var waiting: [Network: Deque<Waiting>] = [:]
            /// When the turns end that no read has ended yet.
            var turnEnds: [Network: NIODeadline] = [:]
            var isScheduled = false
        }

        private let eventLoop: any EventLoop
        private let state: NIOLoopBoundBox<State>

        fileprivate init(_ eventLoop: any EventLoop) {
            self.eventLoop = eventLoop
            state = NIOLoopBoundBox(State(), eventLoop: eventLoop)
        }

        /// - Returns: whether the stream may be served.
        @discardableResult
        func streamOpened(by network: Network) -> Bool {
            state.value.opened[network, default: 0] += 1
            schedule()
            return state.value.opened[network, default: 0] <= StreamTurns.mostStreams
        }

        /// Whether a connection of the network may be read now. If not, it calls `wait`.
        func isFree(for network: Network) -> Bool {
            state.value.opened[network, default: 0] < StreamTurns.streamCount && state.value.waiting[network] == nil
        }

        /// - Parameters:
        ///   - isClosed: whether the connection has closed meanwhile; then it gets no turn.
        ///   - onTurn: called when the connection may be read.
        func wait(_ network: Network, isClosed: @escaping () -> Bool, onTurn: @escaping () -> Void) {
            state.value.waiting[network, default: []].append(Waiting(isClosed: isClosed, onTurn: onTurn))
            schedule()
        }

        private func schedule() {
            guard !state.value.isScheduled else { return }
            state.value.isScheduled = true
            eventLoop.scheduleTask(in: StreamTurns.interval) { [self] in next() }
        }

        /// Bytes of a connection of the network have been read: its turn ends, if it had one. Without this, the timer could give several
        /// turns in one pass, before any of them has led to a read.
        func wasRead(_ network: Network) {
            guard !state.value.turnEnds.isEmpty else { return }
            state.value.turnEnds[network] = nil
        }

        private func next() {
            let now = NIODeadline.now()
            state.value.isScheduled = false
            state.value.opened.removeAll(keepingCapacity: true)
            var turns: [() -> Void] = []
            // A copy of the keys: the dictionary changes meanwhile, and must not be copied for that.
            for network in Array(state.value.waiting.keys) where state.value.turnEnds[network].map({ $0 <= now }) ?? true {
                while let first = state.value.waiting[network]?.popFirst() {
                    if first.isClosed() { continue }
                    state.value.turnEnds[network] = now + StreamTurns.turnTime
                    turns.append(first.onTurn)
                    break
                }
            }
            state.value.waiting = state.value.waiting.filter { !$0.value.isEmpty }
            if state.value.waiting.isEmpty {
                state.value.turnEnds.removeAll()
            } else {
                schedule()
            }
            for turn in turns { turn() }
        }
    }
}
