package import Core
package import Database
package import HTTPServer
package import Logging
import ServiceLifecycle
import Synchronization

/// Every open WebSocket on this node. This service counts them, closes a socket when its session ends, and closes all of them before the
/// server stops.
///
/// The node on which a session ends notifies the others at once. Notifications can be lost, so the service also checks all sessions that
/// have a socket every few seconds, at most 500 in one statement.
///
/// Put this service **after** the server in a service group, like the hub. A group stops its services in reverse order, and a server that
/// drains would wait for its sockets.
package final class OpenSockets: Service {
    package struct Settings: Sendable {
        /// Time between two checks of all sessions that have a socket, and of the session of a download; default 4 s.
        package var look = Duration.seconds(4)
        /// The most sockets that one account may have open on this node; default 50.
        package var socketsPerAccount = 50
        /// The most sessions in one statement; default 500.
        package var sessionsPerLook = 500
        /// The most bytes of messages from clients that are in memory. A message counts from its first byte until the socket's handler has
        /// taken it over. The reserve is for networks with few such messages. The total is less than what the server holds of received bytes,
        /// because a message of which a client sends only the beginning counts as a whole.
        package var messageBytes = SharedBudget.Limits(
            total: 28 << 20, perAccount: 6 << 20, perNetwork: 9 << 20, reserve: 8 << 20, small: 2 << 20)
        /// The most bytes of messages to clients that the kernel has not taken. When there is no room, a socket's queue holds one message,
        /// and further senders wait. The reserve is for networks whose clients read.
        package var unsentBytes = SharedBudget.Limits(
            total: 40 << 20, perAccount: 8 << 20, perNetwork: 20 << 20, reserve: 16 << 20, small: 1 << 20)
        /// How long sockets may take to end when the server stops; default 6 s.
        package var farewell = Duration.seconds(6)

        package init() {}
    }

    /// A socket's entry in the registry.
    struct Registration: Sendable {
        let number: Int
        let viewer: Viewer
    }

    private struct State {
        var lastNumber = 0
        /// The connection is `nil` until the upgrade has completed.
        var sockets: [Int: (viewer: Viewer, connection: WebSocketConnection?)] = [:]
        var ofAccount: [String: Int] = [:]
        var isOver = false
    }

    private let state = Mutex(State())
    private let settings: Settings
    private let messageBytes: SharedBudget
    private let unsentBytes: SharedBudget
    let watch: any SessionWatch
    private let metrics: Metrics
    private let logger: Logger
    private let sleep: @Sendable (Duration) async throws -> Void
    private let listening: Wakes.Listening
    /// Sessions that were reported as ended; `nil` when any session may have ended.
    private let alarms: AsyncStream<Set<String>?>

    /// - Parameters:
    ///   - memory: the memory for bytes from and to clients.
    ///   - sleep: waits between two checks; tests inject their own.
    package init(
        watch: any SessionWatch, wakes: Wakes, metrics: Metrics, logger: Logger, settings: Settings = Settings(),
        memory: ClientMemory = ClientMemory(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.watch = watch
        self.metrics = metrics
        self.logger = logger
        self.settings = settings
        messageBytes = SharedBudget(settings.messageBytes, partOf: memory.received)
        unsentBytes = SharedBudget(settings.unsentBytes, partOf: memory.unsent)
        self.sleep = sleep
        // If the buffer drops a report, the next check of all sessions finds the ended session.
        let (alarms, alarm) = AsyncStream.makeStream(of: Set<String>?.self, bufferingPolicy: .bufferingNewest(64))
        self.alarms = alarms
        listening = wakes.listen(.sessions) { sessions in alarm.yield(sessions) }
        metrics.gauge("keepsake_sockets", help: "Open WebSockets.") { [weak self] in Double(self?.count ?? 0) }
        metrics.gauge("keepsake_socket_message_bytes", help: "Bytes of messages from WebSockets in memory.") { [messageBytes] in
            Double(messageBytes.held)
        }
        metrics.gauge("keepsake_socket_unsent_bytes", help: "Bytes of messages that wait for clients of WebSockets.") { [unsentBytes] in
            Double(unsentBytes.held)
        }
    }

    package var count: Int { state.withLock { $0.sockets.count } }

    // MARK: Sockets

    /// Registers a socket that is about to open. The caller must call `leave` for it.
    /// - Throws: `.unavailable` when the server is stopping, `.tooManyRequests` when the account has too many open sockets.
    func enter(_ viewer: Viewer) throws -> Registration {
        try state.withLock { state in
            guard !state.isOver else { throw Problem(.unavailable, "The server is stopping. Try again shortly.", retryAfter: .seconds(1)) }
            guard state.ofAccount[viewer.accountID, default: 0] < settings.socketsPerAccount else {
                throw Problem(.tooManyRequests, "Too many open sockets for this account.", retryAfter: .seconds(5))
            }
            state.lastNumber += 1
            state.sockets[state.lastNumber] = (viewer, nil)
            state.ofAccount[viewer.accountID, default: 0] += 1
            return Registration(number: state.lastNumber, viewer: viewer)
        }
    }

    /// An empty share of the memory for messages from clients.
    func memory(of requester: Requester) -> SharedBudget.Share? { try? messageBytes.share(0, of: requester) }

    /// An empty share of the memory for messages to clients.
    func unsentMemory(of requester: Requester) -> SharedBudget.Share? { try? unsentBytes.share(0, of: requester) }

    /// Sets the socket's connection after the upgrade. From now on the socket can be closed.
    func open(_ registration: Registration, _ connection: WebSocketConnection) {
        let isOver = state.withLock { state in
            state.sockets[registration.number]?.connection = connection
            return state.isOver
        }
        if isOver { connection.close(Self.farewell) }
    }

    func leave(_ registration: Registration) {
        state.withLock { state in
            guard state.sockets.removeValue(forKey: registration.number) != nil else { return }
            let account = registration.viewer.accountID
            state.ofAccount[account] = state.ofAccount[account].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }

    func count(_ ending: WebSocketEnding) {
        metrics.count("keepsake_sockets_ended_total", [("by", ending.label)], help: "WebSockets that have ended, and how.")
    }

    // MARK: Other long responses

    /// Checks the sessions of `viewers` while a response is sent, as often as those of the sockets.
    func check(of viewers: Set<Viewer>) -> SessionCheck { SessionCheck(viewers, watch, every: settings.look) }

    // MARK: The service

    /// Runs until the server stops, then closes every socket with 1012. A check that fails is logged, and the next one tries again.
    package func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [self] in
                    while (try? await sleep(settings.look)) != nil, !Task.isCancelled { await look(at: nil) }
                }
                group.addTask { [self] in
                    for await sessions in alarms { await look(at: sessions) }
                }
            }
        }
        let connections = state.withLock { state in
            state.isOver = true
            return state.sockets.values.compactMap(\.connection)
        }
        for connection in connections { connection.close(Self.farewell) }
        let clock = ContinuousClock()
        let deadline = clock.now + settings.farewell
        while count > 0, clock.now < deadline { try? await Task.sleep(for: .milliseconds(20)) }
    }

    private static let farewell = WebSocketClose(.serviceRestart, "The server is stopping.")

    /// Checks sessions, and closes the sockets of those that have ended.
    /// - Parameter sessions: `nil` checks all.
    private func look(at sessions: Set<String>?) async {
        let all = state.withLock { state in
            Set(
                state.sockets.values.lazy.map(\.viewer).filter { viewer in
                    guard let sessions, let credential = viewer.sessionID ?? viewer.identity?.id else { return sessions == nil }
                    return sessions.contains(credential)
                })
        }
        let viewers = Array(all)
        do {
            for start in stride(from: 0, to: viewers.count, by: settings.sessionsPerLook) {
                let batch = Set(viewers[start..<min(start + settings.sessionsPerLook, viewers.count)])
                end(batch.subtracting(try await watch.live(batch)))
            }
        } catch {
            if !Task.isCancelled {
                logger.error("looking for sockets of ended sessions failed; the server will retry it", metadata: ["error": "\(error)"])
            }
        }
    }

    private func end(_ viewers: Set<Viewer>) {
        guard !viewers.isEmpty else { return }
        let connections = state.withLock { state in state.sockets.values.filter { viewers.contains($0.viewer) }.compactMap(\.connection) }
        for connection in connections { connection.close(.policyViolation, "The session has ended.") }
    }
}

extension WebSocketEnding {
    /// The metric's label: one of a few values, none of them chosen by the client.
    fileprivate var label: String {
        switch self {
        case .peer: "peer"
        case .ours(let close): close.code.map(\.description) ?? "server"
        case .silent: "silent"
        case .lost: "lost"
        }
    }
}
