internal import Foundation
internal import Synchronization

/// A TCP proxy on loopback that cuts, delays or holds the traffic on demand. It simulates network faults, which the test machine cannot
/// cause otherwise.
///
/// @unchecked: the sockets never change; the lock guards all mutable state.
package final class Proxy: @unchecked Sendable {
    package enum Direction: Sendable { case toServer, toClient }

    package enum Verdict: Sendable {
        case pass
        /// Disconnects the sender, passes the data on, then disconnects the receiver: its response is lost.
        case passAndCut
        /// Disconnects and discards the data read.
        case cut
        /// Passes half of the data on, then disconnects both.
        case truncate
        /// Passes the data on twice.
        case replay
        /// Passes the data on after this delay.
        case delay(Duration)
    }

    package typealias Rule = @Sendable (_ bytes: [UInt8], _ direction: Direction) -> Verdict

    package let port: Int
    private let target: Int
    private let listener: CInt
    private let rule: Mutex<Rule>
    private let latency: Duration
    private let turns = Mutex<[Int: Turns]>([:])
    private let connectionCount = Mutex(0)
    private let open = Open()

    /// Connections that neither side has closed.
    private final class Open: Sendable {
        let count = Mutex(0)
    }
    private let pairs = Mutex<[Int: WeakPair]>([:])

    /// The round trips of one connection. A new one begins when the client sends something after it has received from the server.
    private struct Turns {
        var count = 0
        var last = Direction.toClient

        mutating func see(_ direction: Direction) {
            if direction == .toServer, last == .toClient { count += 1 }
            last = direction
        }
    }

    /// - Parameters:
    ///   - latency: delay of every byte in each direction, as on a long line: it does not reduce the throughput.
    ///   - rule: called for each chunk received, of at most 64 KB.
    package init(toPort target: Int, latency: Duration = .zero, _ rule: @escaping Rule = { _, _ in .pass }) throws {
        self.target = target
        self.latency = latency
        self.rule = Mutex(rule)
        let (listener, port) = try StreamSocket.listen()
        self.listener = listener
        self.port = port
        Thread.detachNewThread { [weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else { return }
                self.serve(client)
            }
        }
    }

    deinit { close() }

    package func set(_ new: @escaping Rule) { rule.withLock { $0 = new } }

    /// Round trips since the last call, on the connection that took most. One round trip is what a client sends at once and what the server
    /// answers to it.
    package func takeTurns() -> Int {
        turns.withLock { turns in
            defer { for number in turns.keys { turns[number]?.count = 0 } }
            return turns.values.map(\.count).max() ?? 0
        }
    }

    /// The number of connections that were accepted so far.
    package var acceptedCount: Int { connectionCount.withLock { $0 } }

    /// The number of connections that neither side has closed.
    package var openCount: Int { open.count.withLock { $0 } }

    package func close() {
        shutdown(listener, CInt(SHUT_RDWR))
    }

    /// Cuts all connections. Bytes in flight are lost.
    package func cutAll() {
        for pair in pairs.withLock({ Array($0.values) }) { pair.pair?.cut() }
    }

    private func serve(_ client: CInt) {
        let server = StreamSocket.make()
        guard StreamSocket.connect(server, toPort: target) else {
            Foundation.close(client)
            Foundation.close(server)
            return
        }
        let number = connectionCount.withLock { count in
            count += 1
            return count
        }
        let pair = Pair(number: number, client: client, server: server, open)
        pairs.withLock { pairs in
            pairs = pairs.filter { $0.value.pair != nil }
            pairs[number] = WeakPair(pair: pair)
        }
        Thread.detachNewThread { [self] in pump(pair, .toServer) }
        Thread.detachNewThread { [self] in pump(pair, .toClient) }
    }

    private struct WeakPair: Sendable {
        weak var pair: Pair?
    }

    /// Both sockets; closed when both pumps have released them.
    private final class Pair: Sendable {
        let number: Int
        let client: CInt
        let server: CInt
        private let open: Open
        init(number: Int, client: CInt, server: CInt, _ open: Open) {
            self.open = open
            open.count.withLock { $0 += 1 }
            self.number = number
            self.client = client
            self.server = server
        }
        deinit {
            Foundation.close(client)
            Foundation.close(server)
            open.count.withLock { $0 -= 1 }
        }
        func cut() {
            for end in [client, server] { shutdown(end, CInt(SHUT_RDWR)) }
        }
    }

    private func pump(_ pair: Pair, _ direction: Direction) {
        let (from, to) = direction == .toServer ? (pair.client, pair.server) : (pair.server, pair.client)
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let wire = latency > .zero ? Wire(latency) : nil
        defer { wire?.end() }
        if let wire {
            Thread.detachNewThread {
                while let bytes = wire.next() {
                    guard Self.sendAll(to, bytes) else { break }
                }
                pair.cut()
            }
        }
        while true {
            let count = recv(from, &buffer, buffer.count, 0)
            guard count > 0 else {
                // Bytes in flight still arrive.
                if wire == nil { pair.cut() }
                return
            }
            var bytes = Array(buffer[..<count])
            turns.withLock { $0[pair.number, default: Turns()].see(direction) }
            let rule = rule.withLock { $0 }
            switch rule(bytes, direction) {
            case .pass: break
            case .cut: return pair.cut()
            case .passAndCut:
                shutdown(from, CInt(SHUT_RDWR))
                _ = Self.sendAll(to, bytes)
                // Time for the receiver to read the data.
                usleep(50_000)
                return pair.cut()
            case .truncate:
                shutdown(from, CInt(SHUT_RDWR))
                _ = Self.sendAll(to, Array(bytes[..<(count / 2)]))
                // Time for the receiver to read the data.
                usleep(50_000)
                return pair.cut()
            case .replay: bytes += bytes
            case .delay(let time): usleep(UInt32(time / .microseconds(1)))
            }
            if let wire {
                wire.put(bytes)
                continue
            }
            guard Self.sendAll(to, bytes) else { return pair.cut() }
        }
    }

    /// Bytes in flight, at most 64 MB.
    ///
    /// @unchecked: the condition guards all state.
    private final class Wire: @unchecked Sendable {
        private let latency: Duration
        private let condition = NSCondition()
        private var pieces: [(due: ContinuousClock.Instant, bytes: [UInt8])] = []
        private var hasEnded = false

        init(_ latency: Duration) { self.latency = latency }

        func put(_ bytes: [UInt8]) {
            condition.withLock {
                while pieces.count >= 1_024 { condition.wait() }
                pieces.append((.now + latency, bytes))
                condition.broadcast()
            }
        }

        func end() {
            condition.withLock {
                hasEnded = true
                condition.broadcast()
            }
        }

        /// - Returns: `nil` when all bytes have arrived.
        func next() -> [UInt8]? {
            let piece = condition.withLock {
                while pieces.isEmpty, !hasEnded { condition.wait() }
                defer { condition.broadcast() }
                return pieces.isEmpty ? nil : pieces.removeFirst()
            }
            guard let piece else { return nil }
            let left = piece.due - .now
            if left > .zero { usleep(UInt32(left / .microseconds(1))) }
            return piece.bytes
        }
    }

    private static func sendAll(_ socket: CInt, _ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { send(socket, $0.baseAddress! + sent, bytes.count - sent, StreamSocket.flags) }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}
