import Foundation
import KeepsakeWire

/// The one connection for all consumers of events: a WebSocket or, where the transport or a proxy does not support it, long polls.
actor EventFeed {
    private struct Weak { weak var subscriber: EventSubscriber? }

    /// After a socket that lasted this long, the waits between attempts start small again.
    private static let lasting: Duration = .seconds(30)
    /// A server that has no event responds to a poll after 25 seconds. If a response without events takes less than this, the client waits
    /// before it polls again.
    private static let shortest: Duration = .seconds(1)

    private let client: Client
    private let signals: KeepsakeSignals
    /// Whether a new connection asks for the events since the last one. Only one test sets `false`, to show that events would be missed.
    private let replays: Bool
    private var subscribers: [Int: Weak] = [:]
    private var count = 0
    private var loop: Task<Void, Never>?
    private var wait: Task<Void, Never>?
    /// The task of a poll, or of a socket from its handshake to its end.
    private var connection: Task<Void, any Error>?
    /// Number of calls of `reconnect`.
    private var wakes = 0
    private var failures = 0
    private var usesSocket = true
    /// The next connection asks for the events after this number; `nil` before the first response.
    private var since: Int64?
    /// The number after which the last connection missed events, if it missed any.
    private var gap: Int64?

    init(client: Client, signals: KeepsakeSignals, replays: Bool) {
        self.client = client
        self.signals = signals
        self.replays = replays
    }

    /// - Parameter isOver: whether the app disconnected the stream before it read from it.
    func subscribe(since start: Int64?, unless isOver: @Sendable () -> Bool) -> EventSubscriber? {
        guard !isOver() else { return nil }
        count += 1
        let number = count
        let subscriber = EventSubscriber(since: start) { [weak self] in Task { await self?.leave(number) } }
        subscribers[number] = Weak(subscriber: subscriber)
        if loop == nil {
            since = nil
            failures = 0
            usesSocket = true
            loop = Task { await self.run() }
        } else if let start, let current = since, start < current {
            // The connection starts again at the older number. The other consumers skip the events that they have seen.
            since = start
            connection?.cancel()
        } else if start == nil, let current = since {
            subscriber.start(at: current)
        }
        return subscriber
    }

    private func leave(_ number: Int) {
        subscribers[number] = nil
        if subscribers.isEmpty { stop() }
    }

    private func stop() {
        loop?.cancel()
        connection?.cancel()
        wait?.cancel()
        loop = nil
    }

    /// Ends all streams.
    func disconnect() {
        stop()
        finish(nil)
    }

    private func finish(_ error: (any Error)?) {
        for subscriber in all { subscriber.finish(error) }
        subscribers = [:]
    }

    func reconnect() {
        wakes += 1
        failures = 0
        connection?.cancel()
        wait?.cancel()
    }

    private var all: [EventSubscriber] { subscribers.values.compactMap(\.subscriber) }
    private var lowest: Int64? { all.compactMap(\.position).min() }

    // MARK: The loop

    private func run() async {
        let watch = Task { [weak self, signals] in
            for await _ in signals.wakes() { await self?.reconnect() }
        }
        defer { watch.cancel() }
        do {
            // All connections belong to one session: a later sign-in must not receive the events of the one before.
            let session = try await sessionID()
            let signOuts = Task { [weak self, client] in
                for await _ in await client.session.states() where (try? await client.session.currentID()) != session {
                    // The server closes the connection when its session ends, but without a network the client does not learn of that.
                    await self?.reconnect()
                }
            }
            defer { signOuts.cancel() }
            while !Task.isCancelled {
                if since == nil, replays { since = lowest }
                let wakesBefore = wakes
                let task = Task { try await self.connect(session) }
                connection = task
                let result = await task.result
                guard !Task.isCancelled else { return }
                guard case .failure(let failure) = result else { continue }
                let error = KeepsakeError(transport: failure)
                if !replays { since = nil }
                // This actor cancelled the task, because a consumer wants older events or the app called `reconnect`. A `cancelled` without
                // that comes from the transport, and counts as a failure.
                if error.code == .cancelled, task.isCancelled { continue }
                guard error.isRetryable || error.code == .cancelled else { throw error }
                if wakes != wakesBefore { continue }
                failures += 1
                await pause(client.retries.wait(afterAttempt: failures, retryAfter: error.retryAfter, client.randomness))
            }
        } catch {
            guard !Task.isCancelled else { return }
            loop = nil
            finish(error)
        }
    }

    private func sessionID() async throws -> StoredSession.ID {
        var failures = 0
        while true {
            do {
                return try await client.session.currentID()
            } catch let error as KeepsakeError where error.code == .storeUnavailable && !Task.isCancelled {
                failures += 1
                await pause(client.retries.wait(afterAttempt: failures, retryAfter: nil, client.randomness))
            }
        }
    }

    /// Waits. `reconnect` ends the wait early.
    private func pause(_ duration: Duration) async {
        let clock = client.clock
        let task = Task { _ = try? await clock.sleep(duration) }
        wait = task
        await task.value
    }

    // MARK: One connection

    private func connect(_ session: StoredSession.ID) async throws {
        // If no number is known, a poll first asks for the newest one. With it, a later connection can ask for what was missed.
        guard let asked = since, usesSocket else { return try await poll(session) }
        let socket: any TransportSocket
        do {
            socket = try await client.connect(LiveEndpoints.socket, sessionID: session, timeout: .seconds(20)) { _ in
                EventSocketInput(since: asked)
            }
        } catch let error as KeepsakeError where Self.lacksSockets(error) {
            usesSocket = false
            return try await poll(session)
        }
        let began = client.clock.uptime()
        defer { if client.clock.uptime() - began >= Self.lasting { failures = 0 } }
        try await withTaskCancellationHandler {
            defer { socket.close() }
            try await read(socket, from: asked, session)
        } onCancel: {
            socket.close()
        }
    }

    /// Whether the error shows that a proxy does not forward WebSockets: the server itself does not refuse a valid request with such a
    /// status.
    private static func lacksSockets(_ error: KeepsakeError) -> Bool {
        if error.code == .unsupported { return true }
        guard let status = error.status else { return false }
        return status < 500 && ![401, 403, 408, 425, 429].contains(status)
    }

    private func read(_ socket: any TransportSocket, from asked: Int64, _ session: StoredSession.ID) async throws {
        var last = asked
        while true {
            let text: String
            do {
                text = try await socket.receive()
            } catch {
                try Task.checkCancellation(as: .cancelled)
                throw error
            }
            try await check(session)
            let message: LiveMessage
            do {
                message = try LiveEndpoints.socket.surface.makeDecoder().decode(LiveMessage.self, from: Data(text.utf8))
            } catch {
                throw KeepsakeError(.invalidResponse, "A live event has another form: \(error)")
            }
            switch message {
            case .event(let event):
                // `&+` cannot trap: `last` comes from the server and can be the largest number.
                if event.seq > last, event.seq != last &+ 1, gap != last {
                    // Event numbers have no gaps, so a message was lost. If the next connection skips the same numbers, these events do not
                    // exist.
                    gap = last
                    throw KeepsakeError(.network, "The connection lost a message.")
                }
                receive([event], upTo: event.seq, isReset: false, asked: last)
                last = event.seq
            case .reset(let seq):
                receive([], upTo: seq, isReset: true, asked: last)
                last = seq
            }
        }
    }

    private func poll(_ session: StoredSession.ID) async throws {
        let asked = since
        let began = client.clock.uptime()
        let page = try await client.send(
            LiveEndpoints.poll,
            .init(deadline: .seconds(40), sessionID: session, attemptTimeout: .seconds(40), repeats: false)
        ) { _ in PollEventsInput(since: asked, wait: asked == nil ? 0 : nil) }
        try await check(session)
        if page.items.isEmpty, !page.reset, page.seq == asked, client.clock.uptime() - began < Self.shortest {
            // This happens when a server shuts down, for example. Without a pause, the client would poll again and again.
            throw KeepsakeError(.network, "The server did not wait for an event.")
        }
        receive(page.items, upTo: page.seq, isReset: page.reset, asked: asked)
    }

    /// - Throws: `session_changed` if no session or another one is current, because events that arrive after a sign-out must be dropped.
    private func check(_ session: StoredSession.ID) async throws {
        guard try await client.session.currentID() == session else { throw Client.sessionChanged }
        try Task.checkCancellation(as: .cancelled)
    }

    /// - Parameter asked: the number after which these events come.
    private func receive(_ events: [LiveEvent], upTo seq: Int64, isReset: Bool, asked: Int64?) {
        failures = 0
        for subscriber in all {
            if !replays, asked == nil { subscriber.advance(to: seq) }
            if isReset, let asked, let position = subscriber.position, position >= asked {
                // A consumer that has seen all up to this number needs no reset, unless the server's own numbers went back.
                if seq < asked || position < seq { subscriber.reset(to: seq) }
            }
            subscriber.start(at: seq)
            // These events do not help a consumer that joined during the connection and wants older ones.
            guard let position = subscriber.position, position >= asked ?? seq else { continue }
            for event in events { subscriber.offer(event) }
            subscriber.advance(to: seq)
        }
        // A consumer that joined in the meantime may need older events.
        since = min(seq, lowest ?? seq)
    }
}
