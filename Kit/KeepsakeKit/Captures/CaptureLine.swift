import Foundation
import KeepsakeWire

/// The WebSocket over which captures are sent. It opens for the first capture and closes after a while without waiting captures.
actor CaptureLine {
    static let surface = CaptureEndpoints.socket.surface
    /// How long an unused socket stays open.
    private static let idleTime: Duration = .seconds(15)
    /// How long a capture waits for its acknowledgement. Captures are short texts; a server that needs longer has a problem.
    private static let replyTimeout: Duration = .seconds(20)

    private typealias Reply = CheckedContinuation<CaptureReceipt, any Error>

    /// One socket, from its handshake to its end.
    private final class Connection: Sendable {
        let sessionID: StoredSession.ID
        let socket: Task<any TransportSocket, any Error>
        init(_ sessionID: StoredSession.ID, _ socket: Task<any TransportSocket, any Error>) {
            self.sessionID = sessionID
            self.socket = socket
        }
    }

    private let client: Client
    private var connection: Connection?
    private var waiting: [(number: Int, id: String, connection: Connection, reply: Reply)] = []
    private var count = 0
    /// Number of messages that have arrived.
    private var receivedCount = 0
    private var idle: Task<Void, Never>?

    init(client: Client) { self.client = client }

    deinit {
        if let connection { Task { try? await connection.socket.value.close() } }
    }

    /// Sends the capture until the server acknowledges or refuses it, or the deadline passes. Its id makes repeats safe.
    func send(_ capture: CaptureInput, _ session: StoredSession.ID?) async throws -> CaptureReceipt {
        let text = try capture.message()
        let sessionID: StoredSession.ID
        if let session { sessionID = session } else { sessionID = try await client.session.currentID() }
        let deadline = client.clock.uptime() + client.retries.deadline
        var attempt = 0
        while true {
            attempt += 1
            let failure: KeepsakeError
            do {
                let left = min(deadline - client.clock.uptime(), Self.replyTimeout)
                return try await sendOnce(text, capture.id, sessionID, timeout: left)
            } catch { failure = KeepsakeError(transport: error) }
            guard failure.isRetryable, attempt < client.retries.maxAttempts else { throw failure }
            let wait = client.retries.wait(afterAttempt: attempt, retryAfter: failure.retryAfter, client.randomness)
            guard client.clock.uptime() + wait < deadline else { throw failure }
            do { try await client.clock.sleep(wait) } catch { throw KeepsakeError(transport: error) }
        }
    }

    private func sendOnce(
        _ text: String, _ id: String, _ sessionID: StoredSession.ID, timeout: Duration
    ) async throws -> CaptureReceipt {
        try Task.checkCancellation(as: .cancelled)
        guard timeout > .zero else { throw KeepsakeError(.timeout, "The call took too long.") }
        let connection = connection(for: sessionID, timeout: timeout)
        count += 1
        let number = count
        let (clock, before) = (client.clock, receivedCount)
        let timer = Task { [weak self] in
            try await clock.sleep(timeout)
            await self?.giveUp(number, connection, after: timeout, receivedBefore: before)
        }
        defer {
            timer.cancel()
            rest()
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (reply: Reply) in
                waiting.append((number, id, connection, reply))
                // The task is separate, so that a cancelled caller waits neither for the handshake nor for the reply.
                Task { [weak self] in await self?.transmit(text, number, connection) }
            }
        } onCancel: {
            Task { [weak self] in await self?.fail(number, KeepsakeError(.cancelled, "The call was cancelled.")) }
        }
    }

    private func transmit(_ text: String, _ number: Int, _ connection: Connection) async {
        do {
            let socket = try await connection.socket.value
            // If the user has signed out since the handshake, the capture must not be sent.
            guard try await client.session.currentID() == connection.sessionID else { throw Client.sessionChanged }
            guard waiting.contains(where: { $0.number == number }) else { return }
            try await socket.send(text)
        } catch {
            end(connection, error)
        }
    }

    // MARK: The socket

    private func connection(for sessionID: StoredSession.ID, timeout: Duration) -> Connection {
        idle?.cancel()
        if let connection {
            if connection.sessionID == sessionID { return connection }
            end(connection, Client.sessionChanged)
        }
        let client = client
        // The handshake has its own task: a caller that is cancelled does not cancel it, because others may wait for it.
        let socket = Task {
            try await client.connect(CaptureEndpoints.socket, sessionID: sessionID, timeout: timeout) { CaptureSocketInput(userId: $0) }
        }
        let new = Connection(sessionID, socket)
        connection = new
        Task { [weak self] in
            do {
                let socket = try await new.socket.value
                while true {
                    let text = try await socket.receive()
                    await self?.receive(text, new)
                }
            } catch {
                await self?.end(new, error)
            }
        }
        return new
    }

    private func end(_ ended: Connection, _ error: any Error) {
        if connection === ended { connection = nil }
        // Close the socket even if its handshake has not ended.
        Task { try? await ended.socket.value.close() }
        let lost = waiting.filter { $0.connection === ended }
        waiting.removeAll { $0.connection === ended }
        for one in lost { one.reply.resume(throwing: error) }
    }

    /// Closes the socket when nobody has used it for a while.
    private func rest() {
        idle?.cancel()
        guard waiting.isEmpty, let connection else { return }
        let clock = client.clock
        idle = Task { [weak self] in
            guard (try? await clock.sleep(Self.idleTime)) != nil, !Task.isCancelled else { return }
            await self?.closeUnused(connection)
        }
    }

    private func closeUnused(_ unused: Connection) {
        guard !waiting.contains(where: { $0.connection === unused }) else { return }
        end(unused, KeepsakeError(.network, "The connection was not used any more."))
    }

    // MARK: Replies

    private func fail(_ number: Int, _ error: KeepsakeError) {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
        waiting.remove(at: index).reply.resume(throwing: error)
    }

    /// Ends the wait of one capture. If no message has arrived since the wait began, this also closes the socket, and the next attempt
    /// opens another one: when a phone changes its network, the connection is lost without an error.
    /// - Parameter receivedBefore: `receivedCount` when the wait began.
    private func giveUp(_ number: Int, _ connection: Connection, after timeout: Duration, receivedBefore: Int) {
        let error = KeepsakeError(.timeout, "The server did not acknowledge the capture in time.")
        let isSilent = timeout >= Self.replyTimeout && receivedCount == receivedBefore
        guard isSilent, waiting.contains(where: { $0.number == number }) else { return fail(number, error) }
        end(connection, error)
    }

    private func receive(_ text: String, _ connection: Connection) {
        receivedCount += 1
        // Other messages, such as `memory_processed`, are for `Events`.
        guard let reply = try? Self.surface.makeDecoder().decode(CaptureReply.self, from: Data(text.utf8)) else { return }
        let outcome: Result<CaptureReceipt, any Error>
        if reply.type == "ack", let id = reply.captureId, let timestamp = reply.timestamp {
            outcome = .success(CaptureReceipt(captureId: id, timestamp: timestamp))
        } else if let error = reply.error {
            // The socket's code `quota` is `quota_exceeded` over HTTP.
            outcome = .failure(KeepsakeError(error == "quota" ? .quotaExceeded : .init(rawValue: error), reply.detail ?? error))
        } else {
            return
        }
        let candidates = waiting.indices.filter { index in
            waiting[index].connection === connection && (reply.captureId == nil || waiting[index].id == reply.captureId)
        }
        // An error without an id means that the server could not parse a capture. It can arrive before the replies to earlier captures that
        // the server is still storing. So while several captures wait, it is not clear which one is meant. The other captures get their own
        // replies; the refused one gets none, and the library sends it again.
        guard let index = candidates.first, reply.captureId != nil || candidates.count == 1 else { return }
        waiting.remove(at: index).reply.resume(with: outcome)
    }
}
