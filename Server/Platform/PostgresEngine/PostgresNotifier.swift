internal import CPostgres
internal import Core
internal import Database
internal import Foundation
internal import NIOConcurrencyHelpers

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Sends wakes between nodes with LISTEN and NOTIFY, on its own connection and thread. It does not NOTIFY inside transactions, because then
/// PostgreSQL would serialize their commits. Wakes within 20 ms are sent together.
///
/// @unchecked: a lock guards `state`, the pipe never changes, and only the thread accesses the rest.
final class PostgresNotifier: @unchecked Sendable {
    /// Minimum time between two notifications: at most 50 a second.
    private static let pause = Duration.milliseconds(20)
    /// Bytes; PostgreSQL allows 8,000.
    private static let payloadLimit = 7_900
    private static let keyLimit = 200
    /// Means every key of a channel.
    private static let anyKey: Character = "*"

    private struct State {
        var pending: [Wake.Channel: Set<String>?] = [:]
        var isClosed = false
        /// Whether the thread has ended and closed the pipe. Other files may then use the pipe's descriptors.
        var isOver = false
        /// The socket of the open connection.
        var socket: CInt?
    }

    private let address: PostgresAddress
    private let channel: String
    /// How long `waitUntilStopped` waits for a server that does not answer.
    private let silence: Duration
    private let wakes: Wakes
    /// This is no `Mutex`, because each of the engine's threads takes it after a write (decision 059).
    private let state = NIOLockedValueBox(State())
    /// A byte in this pipe wakes the thread.
    private let wire: (read: CInt, write: CInt)
    private let ended = DispatchGroup()

    init(_ address: PostgresAddress, schema: String, silence: Duration, _ wakes: Wakes) throws {
        self.address = address
        // Two installations in one database use different schemas.
        channel = "keepsake:" + schema
        self.silence = silence
        self.wakes = wakes
        var ends: [CInt] = [-1, -1]
        guard pipe(&ends) == 0 else { throw DatabaseError.unavailable("no pipe: \(String(cString: strerror(errno)))") }
        wire = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        ended.enter()
        let thread = Thread { [self] in
            run()
            state.withLockedValue { state in
                state.isOver = true
                for end in [wire.read, wire.write] { close(end) }
            }
            ended.leave()
        }
        thread.name = "pg-notifier"
        thread.start()
    }

    /// Sends the wakes to the other nodes shortly.
    func notify(_ woken: Set<Wake>) {
        let isFirst = state.withLockedValue { state in
            let wasEmpty = state.pending.isEmpty
            for wake in woken {
                guard wake.key.utf8.count <= Self.keyLimit, !wake.key.contains(where: \.isNewline) else {
                    state.pending[wake.channel] = .some(nil)
                    continue
                }
                // All keys of the channel are pending already.
                if case .some(.none) = state.pending[wake.channel] { continue }
                state.pending[wake.channel] = (state.pending[wake.channel] ?? [])?.union([wake.key])
            }
            return wasEmpty
        }
        // While wakes are pending, the thread has been woken for the first of them.
        if isFirst { nudge() }
    }

    /// Makes the thread end shortly.
    func stop() {
        state.withLockedValue { $0.isClosed = true }
        nudge()
    }

    func waitUntilStopped() {
        while ended.wait(timeout: .now() + .milliseconds(Int(silence.wholeMilliseconds))) == .timedOut {
            // libpq waits without a timeout for a server that does not answer. It stops waiting when its connection is shut down.
            state.withLockedValue { state in
                if let socket = state.socket { shutdown(socket, CInt(SHUT_RDWR)) }
            }
        }
    }

    private func nudge() {
        state.withLockedValue { state in
            guard !state.isOver else { return }
            // If the pipe is full, the thread wakes anyway.
            _ = write(wire.write, "!", 1)
        }
    }

    // MARK: - On the thread

    private func run() {
        var pause = Duration.milliseconds(100)
        while !state.withLockedValue({ $0.isClosed }) {
            if let connection = connect() {
                pause = .milliseconds(100)
                // Notifications may have been missed while there was no connection.
                wakes.postAll()
                serve(connection)
                finish(connection)
            }
            sleep(atMost: pause)
            pause = min(pause * 2, .seconds(2))
        }
    }

    private func connect() -> OpaquePointer? {
        guard let connection = address.connect() else { return nil }
        state.withLockedValue { $0.socket = PQsocket(connection) }
        guard PQstatus(connection) == CONNECTION_OK, let quoted = PQescapeIdentifier(connection, channel, channel.utf8.count)
        else {
            finish(connection)
            return nil
        }
        defer { PQfreemem(quoted) }
        // The same name as the pool's connections have: see PostgresConnection.
        let name = "SELECT set_config('application_name', $1 || ':' || current_schema(), false)"
        guard perform(connection, name, [address.applicationName]), perform(connection, "LISTEN " + String(cString: quoted), []) else {
            finish(connection)
            return nil
        }
        return connection
    }

    private func finish(_ connection: OpaquePointer) {
        state.withLockedValue { $0.socket = nil }
        PQfinish(connection)
    }

    /// Runs until the connection is lost or `stop` was called.
    private func serve(_ connection: OpaquePointer) {
        var lastSent = ContinuousClock.now - Self.pause
        while !state.withLockedValue({ $0.isClosed }) {
            let isPending = state.withLockedValue { !$0.pending.isEmpty }
            let wait = isPending ? max(.zero, lastSent + Self.pause - .now) : .seconds(30)
            if isPending, wait == .zero {
                guard send(connection) else { return }
                lastSent = .now
                continue
            }
            var waiting = [
                pollfd(fd: PQsocket(connection), events: Int16(POLLIN), revents: 0),
                // While wakes are pending, new ones need not wake the thread.
                pollfd(fd: isPending ? -1 : wire.read, events: Int16(POLLIN), revents: 0),
            ]
            // Round up: otherwise a wait of less than a millisecond would spin.
            _ = poll(&waiting, 2, CInt(wait.wholeMilliseconds + 1))
            drainPipe()
            guard PQconsumeInput(connection) == 1, PQstatus(connection) == CONNECTION_OK else { return }
            receive(connection)
        }
    }

    private func send(_ connection: OpaquePointer) -> Bool {
        let pending = state.withLockedValue { state in
            defer { state.pending = [:] }
            return state.pending
        }
        var lines: [String] = []
        for (channel, keys) in pending {
            let said = (keys ?? []).map { "\(channel.name) \($0)" }
            let isTooMuch = keys == nil || said.reduce(0) { $0 + $1.utf8.count + 1 } > Self.payloadLimit / max(1, pending.count)
            lines += isTooMuch ? ["\(channel.name) \(Self.anyKey)"] : said
        }
        return perform(connection, "SELECT pg_notify($1, $2)", [channel, lines.joined(separator: "\n")])
    }

    private func receive(_ connection: OpaquePointer) {
        while let notification = PQnotifies(connection) {
            defer { PQfreemem(notification) }
            // This node's own wakes were already posted by `write`.
            guard notification.pointee.be_pid != PQbackendPID(connection) else { continue }
            var keys: [Wake.Channel: Set<String>?] = [:]
            for line in String(cString: notification.pointee.extra).split(separator: "\n") {
                let parts = line.split(separator: " ", maxSplits: 1)
                guard parts.count == 2 else { continue }
                let channel = Wake.Channel(name: String(parts[0]))
                if parts[1] == String(Self.anyKey) {
                    keys[channel] = .some(nil)
                } else if let known = keys[channel] ?? [] {
                    keys[channel] = known.union([String(parts[1])])
                }
            }
            for (channel, keys) in keys { wakes.post(channel, keys) }
        }
    }

    private func perform(_ connection: OpaquePointer, _ text: String, _ values: [String]) -> Bool {
        let owned = values.map { strdup($0) }
        defer { for pointer in owned { free(pointer) } }
        let result = PQexecParams(connection, text, CInt(values.count), nil, owned.map { UnsafePointer($0) }, nil, nil, 0)
        defer { PQclear(result) }
        return [PGRES_TUPLES_OK, PGRES_COMMAND_OK].contains(PQresultStatus(result))
    }

    private func sleep(atMost time: Duration) {
        var waiting = pollfd(fd: wire.read, events: Int16(POLLIN), revents: 0)
        let end = ContinuousClock.now + time
        // New wakes stay pending; only `stop` ends the pause.
        while !state.withLockedValue({ $0.isClosed }), ContinuousClock.now < end {
            _ = poll(&waiting, 1, 20)
            drainPipe()
            usleep(10_000)
        }
    }

    private func drainPipe() {
        var bytes = [UInt8](repeating: 0, count: 256)
        while read(wire.read, &bytes, bytes.count) > 0 {}
    }
}
