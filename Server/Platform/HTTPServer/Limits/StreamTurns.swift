import Core
import DequeModule
import NIOCore
import Synchronization

/// Lets the HTTP/2 connections of one network take turns when they open many streams.
///
/// One read may bring a hundred requests, and a network may have 256 connections. NIO makes an object for a stream as soon as it gets the
/// stream's bytes, and requests that need no handler, such as health checks and refusals, are answered on the event loop. If one pass of
/// the loop opened all these streams, the other connections would wait for seconds. So `HTTP2Gate` holds the bytes back until the
/// connection's turn, in a later pass (`LoopPass`).
///
/// HTTP/1.1 connections take the same turns for requests that their clients send ahead, and for requests with a long head (`RequestGate`).
/// Such a request counts as one stream, or more if its head is long. Over HTTP/2, the length of a head is known only when it has been
/// decoded, because a few bytes may stand for a long head (HPACK). So the rest of its cost counts afterwards (`HTTP2Exchange`). 16 HTTP/2
/// frames that open no stream also count as one stream, because one read may bring thousands of them; DATA frames of 512 bytes or more do
/// not count.
final class StreamTurns: Sendable {
    /// When a network has opened this many streams in one pass of an event loop, its further streams wait for a later pass.
    static let streamCount = 64
    /// When all networks together have opened this many streams in one pass, further streams wait for a later pass.
    static let totalCount = 512
    /// A network may open this many streams in a pass even if all networks together have reached `totalCount`.
    static let smallCount = 8

    /// A head takes the event loop 20 ns for each byte until the request is refused or a handler gets it, so a long one costs more than a
    /// stream.
    /// - Returns: the cost of the head, in streams; 0 if it is not long.
    static func cost(ofHead byteCount: Int) -> Int {
        byteCount < longHeadByteCount ? 0 : byteCount / headByteCountPerStream
    }

    /// Heads of browsers and apps are shorter, except those with many cookies.
    private static let longHeadByteCount = 2_048
    /// So many bytes of a long head count as one stream. The longest head counts almost as much as a network may open in a pass.
    private static let headByteCountPerStream = 256

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
        private struct State {
            /// Streams opened in this pass, by network.
            var opened: [Network: Int] = [:]
            var total = 0
            /// Connections that wait for their turn, each at most once.
            var waiting: [Network: Deque<() -> Int>] = [:]
            /// The networks of `waiting`, in the order of their next turns.
            var order: Deque<Network> = []
            var isScheduled = false
        }

        private let eventLoop: any EventLoop
        private let state: NIOLoopBoundBox<State>

        fileprivate init(_ eventLoop: any EventLoop) {
            self.eventLoop = eventLoop
            state = NIOLoopBoundBox(State(), eventLoop: eventLoop)
        }

        /// Whether a connection of the network may open `streamCount` streams now. If so, the streams count as opened. If not, the caller
        /// must call `wait`.
        func mayOpen(_ streamCount: Int, by network: Network) -> Bool {
            guard state.value.waiting[network] == nil else { return false }
            let opened = state.value.opened[network, default: 0]
            let isSmall = opened + streamCount <= StreamTurns.smallCount
            guard isSmall || (opened < StreamTurns.streamCount && state.value.total < StreamTurns.totalCount) else { return false }
            count(streamCount, network)
            schedule()
            return true
        }

        /// Counts what a stream of this pass costs in addition to what `mayOpen` or `wait` counted. Further streams then wait for a later
        /// pass.
        func charge(_ streamCount: Int, to network: Network) {
            count(streamCount, network)
            schedule()
        }

        /// - Parameter pass: called when the connection's turn has come. It opens the connection's streams and returns their number, which
        ///   is 0 when the connection has closed.
        func wait(_ network: Network, pass: @escaping () -> Int) {
            if state.value.waiting[network] == nil { state.value.order.append(network) }
            state.value.waiting[network, default: []].append(pass)
            schedule()
        }

        private func count(_ streamCount: Int, _ network: Network) {
            state.value.opened[network, default: 0] += streamCount
            state.value.total += streamCount
        }

        private func schedule() {
            guard !state.value.isScheduled else { return }
            state.value.isScheduled = true
            LoopPass.next(on: eventLoop) { [self] in nextPass() }
        }

        private func nextPass() {
            state.value.isScheduled = false
            state.value.opened.removeAll(keepingCapacity: true)
            state.value.total = 0
            giveTurns()
            if state.value.total > 0 || !state.value.waiting.isEmpty { schedule() }
        }

        private func giveTurns() {
            for _ in 0..<state.value.order.count {
                guard state.value.total < StreamTurns.totalCount, let network = state.value.order.popFirst() else { break }
                while state.value.opened[network, default: 0] < StreamTurns.streamCount,
                    let pass = state.value.waiting[network]?.popFirst()
                {
                    count(pass(), network)
                }
                if state.value.waiting[network]?.isEmpty ?? true {
                    state.value.waiting[network] = nil
                } else {
                    state.value.order.append(network)
                }
            }
        }
    }
}
