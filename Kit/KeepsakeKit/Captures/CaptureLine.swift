import Foundation
import KeepsakeWire

/// The socket that takes captures. It opens with the first capture and closes when none has waited for a reply for a while.
actor CaptureLine {
    static let surface = CaptureEndpoints.socket.surface
    /// How long an unused socket stays open.
    private static let idleTime: Duration = .seconds(15)
    /// Captures are texts; a server that does not acknowledge one in this time is not well.
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
    /// Messages that have arrived.
    private var receivedCount = 0
    private var idle: Task<Void, Never>?

    init(client: Client) { self.client = client }

    deinit {
        if let connection { Task { try? await connection.socket.value.close() } }
    }

    /// Repeats until the server has acknowledged or refused the capture, or the deadline has passed: its id makes that safe.
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
                // A caller that is cancelled waits neither for the handshake nor for the reply.
                Task { [weak self] in await self?.transmit(text, number, connection) }
            }
        } onCancel: {
            Task { [weak self] in await self?.fail(number, KeepsakeError(.cancelled, "The call was cancelled.")) }
        }
    }

    private func transmit(_ text: String, _ number: Int, _ connection: Connection) async {
        do {
            let socket = try await connection.socket.value
            // A sign-out since the handshake must not let the capture through.
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
        // A caller that is cancelled does not cancel the handshake: others may wait for it.
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

    /// If no message has arrived since the wait began, the connection may be lost: when a phone changes its network, no error reports that.
    /// This then ends the connection, and the next attempt opens another one.
    /// - Parameter receivedBefore: `receivedCount` when the wait began.
    private func giveUp(_ number: Int, _ connection: Connection, after timeout: Duration, receivedBefore: Int) {
        let error = KeepsakeError(.timeout, "The server did not acknowledge the capture in time.")
        let isSilent = timeout >= Self.replyTimeout && receivedCount == receivedBefore
        guard isSilent, waiting.contains(where: { $0.number == number }) else { return fail(number, error) }
        end(connection, error)
    }

    private func receive(_ text: String, _ connection: Connection) {
        receivedCount += 1
        // `memory_processed` and what later servers send are for `Events`.
        guard let reply = try? Self.surface.makeDecoder().decode(CaptureReply.self, from: Data(text.utf8)) else { return }
        let outcome: Result<CaptureReceipt, any Error>
        if reply.type == "ack", let id = reply.captureId, let timestamp = reply.timestamp {
            outcome = .success(CaptureReceipt(captureId: id, timestamp: timestamp))
        } else if let error = reply.error {
            // Over HTTP, the same reason has another code.
            outcome = .failure(KeepsakeError(error == "quota" ? .quotaExceeded : .init(rawValue: error), reply.detail ?? error))
        } else {
            return
        }
        let candidates = waiting.indices.filter { index in
            waiting[index].connection === connection && (reply.captureId == nil || waiting[index].id == reply.captureId)
        }
        // An error without an id is about a capture that the server could not parse. It arrives before the replies to earlier captures that
        // are being stored, so while several captures wait, it does not tell which one is meant. The other captures get their own replies,
        // and the library sends the refused one again.
        guard let index = candidates.first, reply.captureId != nil || candidates.count == 1 else { return }
        waiting.remove(at: index).reply.resume(with: outcome)
    }
}
