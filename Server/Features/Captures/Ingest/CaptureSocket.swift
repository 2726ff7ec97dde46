import Core
import Database
import Foundation
import KeepsakeWire
import Live
import Web

/// `/ws/ios/{userId}`: takes captures, acknowledges each when it is durable, and sends a message when it has been processed.
struct CaptureSocket: Sendable {
    let inbox: CaptureInbox
    let hub: Hub
    let identifiers: Identifiers

    static var limits: WebSocketLimits {
        var limits = WebSocketLimits()
        limits.frameByteCount = 262_144
        limits.messageByteCount = 262_144
        return limits
    }

    func admit(_ input: CaptureSocketInput, _ context: WebContext) throws {
        if let since = input.since, since < 0 { throw Problem(.invalid, "since must be 0 or more.", field: "since") }
    }

    func talk(_ input: CaptureSocketInput, _ connection: WebSocketConnection, _ context: WebContext) async throws {
        let owner = try context.requireViewer().accountID
        // The subscription begins before the first capture is taken, so that the socket receives the events of its own captures.
        let subscription = try await hub.subscribe(owner, since: input.since)
        // The window bounds the replies of this socket. A capture holds a permit of the inbox until it is durable or refused, and not until
        // its reply is sent. So a client that does not read its replies does not delay the captures of other clients.
        let window = try inbox.window(for: context.requester)
        let (replies, reply) = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            // An error of any of these tasks closes the socket, which ends the others.
            group.addTask {
                await Self.closing(connection) {
                    for await reply in replies {
                        try await connection.send(reply)
                        window.leave()
                    }
                }
            }
            group.addTask {
                await Self.closing(connection) {
                    defer { reply.finish() }
                    try await read(connection, owner, context, window, reply)
                }
            }
            // Events are sent from this task, because a subscription is not shared between tasks. Sending ends with an error when the
            // socket has ended.
            try await sendEvents(subscription, connection)
        }
    }

    private static func closing(_ connection: WebSocketConnection, _ work: () async throws -> Void) async {
        do {
            try await work()
        } catch is CancellationError, is WebSocketEnded {
            // The socket has ended already.
        } catch {
            connection.close(error as? WebSocketClose ?? WebSocketClose(.internalError))
        }
    }

    // MARK: Captures

    /// Reads ahead: a message is read while earlier ones become durable.
    private func read(
        _ connection: WebSocketConnection, _ owner: String, _ context: WebContext, _ window: ReplyWindow,
        _ reply: AsyncStream<String>.Continuation
    ) async throws {
        let requester = context.requester
        for await message in connection.messages {
            guard case .text(let text) = message else { throw WebSocketClose(.unsupportedData, "Send captures as text.") }
            try await context.pace(.capture)
            // The window comes before the permit: a socket that waits for its client must not hold a permit.
            try await window.enter()
            let permit = try await inbox.permit(text.utf8.count, for: requester)
            do {
                let message = try CaptureMessage(json: text)
                let id = message.id ?? identifiers.next()
                let ack = Self.ack(id, message.at)
                inbox.submit(
                    CaptureInbox.Item(capture: NewCapture(owner: owner, id: id, message: message), permit: permit) { outcome in
                        reply.yield(outcome.map(Self.text) ?? ack)
                    })
            } catch let refusal as CaptureRefusal {
                permit.release()
                reply.yield(Self.text(refusal))
            }
        }
    }

    /// The acknowledgement as JSON. An id needs no escapes.
    static func ack(_ id: String, _ at: Timestamp) -> String {
        let isWhole = at.microseconds % 1_000_000 == 0
        let time = WireDate.format(microseconds: at.microseconds, isWhole ? .wholeSeconds : .milliseconds)
        return #"{"type":"ack","status":"received","captureId":"\#(id)","timestamp":"\#(time)"}"#
    }

    private struct RefusalMessage: Encodable {
        let ok = false
        let error: String
        let detail: String
        let captureId: String?
    }

    static func text(_ refusal: CaptureRefusal) -> String {
        let encoder = JSONEncoder.withSortedKeys()
        let message = RefusalMessage(error: refusal.code.rawValue, detail: refusal.detail, captureId: refusal.capture)
        // Strings always encode.
        return (try? encoder.encode(message)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    // MARK: Events

    private func sendEvents(_ subscription: Subscription, _ connection: WebSocketConnection) async throws {
        while true {
            switch try await subscription.next() {
            case .event(let event):
                if let text = Self.text(event) { try await connection.send(text) }
            case .reset(let head): try await connection.send(#"{"type":"reset","seq":\#(head)}"#)
            }
        }
    }

    private struct ProcessedMessage: Encodable {
        let type = "memory_processed"
        let date: String
        let captureId: String
        let seq: Int64
    }

    /// The event in the flat shape of this socket; `nil` for an event that it does not carry.
    static func text(_ event: Event) -> String? {
        guard event.kind == .captureProcessed,
            let payload = try? JSONDecoder().decode(ProcessedPayload.self, from: Data(event.payload.utf8))
        else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let message = ProcessedMessage(date: payload.date, captureId: payload.id, seq: event.seq)
        return (try? encoder.encode(message)).map { String(decoding: $0, as: UTF8.self) }
    }

    private struct ProcessedPayload: Decodable {
        let id: String
        let date: String
    }
}
