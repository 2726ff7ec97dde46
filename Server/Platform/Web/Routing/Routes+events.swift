import Core
import HTTPServer
import HTTPTypes
import Hummingbird
package import KeepsakeWire
package import NIOCore
import NIOFoundationCompat
import Synchronization

/// A response that is either JSON or a stream of events, as the client asks for it.
package enum EventReply<Output: Encodable & Sendable>: Sendable {
    /// Makes the JSON, perhaps after a long wait. Meanwhile the server does not hold the request's input.
    case json(@Sendable () async throws -> Output)
    case events(EventSource)
}

/// Server-sent events (WHATWG HTML §9.2) that are written as they occur.
package struct EventSource: Sendable {
    let write: @Sendable (EventBody) async throws -> Void

    /// - Parameter write: writes all events, and returns when the stream has ended. It is cancelled when the client disconnects. If it
    ///   throws, the server closes the connection; the client then resumes the stream.
    package init(_ write: @escaping @Sendable (EventBody) async throws -> Void) { self.write = write }
}

/// Receives the events of a response. Only one task may use it.
package final class EventBody: Sendable {
    /// The bytes of a long event differed when the event was made again.
    struct Changed: Error {}

    private let answer: Answer
    private let surface: Surface
    private let turns: LongWorkTurns
    private let sessions: SessionCheck

    init(_ answer: Answer, _ surface: Surface, _ turns: LongWorkTurns, _ sessions: SessionCheck) {
        self.answer = answer
        self.surface = surface
        self.turns = turns
        self.sessions = sessions
    }

    /// Makes the bytes of an event. Several can be sent together.
    /// - Parameters:
    ///   - name: for example `message`.
    ///   - id: what a client that resumes sends as `Last-Event-ID`.
    package func event(_ name: String, id: Int64?, _ value: some Encodable) throws -> ByteBuffer {
        var bytes = ByteBuffer()
        if let id { bytes.writeString("id: \(id)\n") }
        bytes.writeString("event: \(name)\ndata: ")
        // JSON escapes line breaks in strings, so the value is one line.
        try bytes.writeJSONEncodable(value, encoder: surface.makeEncoder())
        bytes.writeString("\n\n")
        return bytes
    }

    /// Returns when the bytes have left for the network.
    /// - Throws: when the client has disconnected, or the session of the request has ended.
    package func send(_ bytes: ByteBuffer) async throws {
        try await sessions.requireLive()
        try await answer.send(bytes)
    }

    /// Sends an event that may be long. While the client reads, the server holds only a piece of it, and makes the event again for each
    /// further piece. So clients that do not read cost little memory.
    /// - Parameter make: makes the event's bytes, the same at each call; `nil` when there is no such event (any more).
    /// - Returns: whether there was an event.
    /// - Throws: when the client has disconnected, when the session of the request has ended, or when the event has changed. The connection
    ///   then closes, and the client resumes.
    @discardableResult
    package func send(making make: () async throws -> ByteBuffer?) async throws -> Bool {
        guard var piece = try await Piece(of: make(), from: 0) else { return false }
        var sent = 0
        while true {
            try await send(piece.bytes)
            sent += piece.bytes.readableBytes
            guard sent < piece.byteCount else { return true }
            // End the turn before waiting for the client.
            guard let next = try await turns.run({ try await Piece(of: make(), from: sent) }), next.isOfSameEvent(as: piece) else {
                throw Changed()
            }
            piece = next
        }
    }

    /// A part of an event's bytes.
    private struct Piece {
        let bytes: ByteBuffer
        /// The length of the whole event.
        let byteCount: Int
        private let hash: Int

        /// - Parameter start: how many bytes were sent before.
        init?(of event: ByteBuffer?, from start: Int) {
            guard let event else { return nil }
            byteCount = event.readableBytes
            hash = event.hashValue
            let rest = event.readableBytesView.dropFirst(start)
            // A slice would keep the memory of the whole event.
            bytes = byteCount <= DownloadBody.pieceByteCount ? event : ByteBuffer(bytes: rest.prefix(DownloadBody.pieceByteCount))
        }

        func isOfSameEvent(as other: Piece) -> Bool { byteCount == other.byteCount && hash == other.hash }
    }

    /// Sends a comment, which clients ignore: it keeps proxies from closing a silent connection.
    /// - Throws: as `send`.
    package func sendComment() async throws { try await send(ByteBuffer(string: ": still here\n\n")) }
}

/// A decoded input. Its handler takes it, so that nothing else keeps it in memory.
private final class InputOnce<Input: Sendable>: Sendable {
    private let input: Mutex<Input?>

    init(_ input: Input) { self.input = Mutex(input) }

    func take() -> Input {
        let taken = input.withLock { input in
            defer { input = nil }
            return input
        }
        guard let taken else { preconditionFailure("a request is handled once") }
        return taken
    }
}

/// The budgets of one stream of events.
private struct EventStreamShares {
    let stream: SharedBudget.Share
    let answer: AnswersInFlight.Slot

    /// - Throws: as `AnswersInFlight.enter`.
    init(_ context: WebContext) throws {
        stream = try context.enterEvents()
        answer = try context.enterAnswer()
    }

    /// Call this when the response is no stream.
    func release(_ context: WebContext) {
        stream.release()
        answer.release()
        context.record.update { $0.isSentAsAnswer = false }
    }
}

extension Routes {
    /// Serves an endpoint whose response may be a stream of events. A stream holds no admission slot, only its slot among the responses in
    /// flight.
    package func serve<Input: Codable & Sendable, Output: Encodable & Sendable>(
        events endpoint: Endpoint<Input, Output>, _ handle: @escaping @Sendable (Input, WebContext) async throws -> EventReply<Output>
    ) {
        let dialect = Dialect.of(endpoint.surface)
        let sockets = sockets
        add(endpoint, options: RouteOptions()) { parameters, json in
            try InputOnce(InputDecoder.decode(Input.self, parameters: parameters, json: json, surface: endpoint.surface))
        } respond: { (input: InputOnce<Input>, _: Request, context: WebContext) async throws -> Response in
            // The budgets are taken first: the handler may store something, and a request that is refused must not have stored anything.
            let taken = context.acceptsEvents ? try EventStreamShares(context) : nil
            switch try await handle(input.take(), context) {
            case .json(let make):
                taken?.release(context)
                return try dialect.json(try await make())
            case .events(let source):
                let shares = try taken ?? EventStreamShares(context)
                // `X-Accel-Buffering: no` makes nginx pass each event on at once.
                let headers: HTTPFields = [
                    .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-store, no-transform",
                    .xContentTypeOptions: "nosniff", HTTPField.Name("X-Accel-Buffering")!: "no",
                ]
                return Response(
                    status: .ok, headers: headers,
                    body: try context.body(shares.answer, byteCount: nil) { answer in
                        defer { shares.stream.release() }
                        // A stream may last for minutes. It must not last longer than the session of its request.
                        let sessions = sockets.check(of: Set([context.viewer].compactMap { $0 }))
                        try await ClientPresence.whilePresent {
                            try await source.write(EventBody(answer, endpoint.surface, LongWorkTurns(context), sessions))
                        }
                        try await answer.finish()
                    })
            }
        }
    }
}

extension WebContext {
    /// The number in `Last-Event-ID` of a client that resumes a stream; `nil` when there is none.
    package var lastEventID: Int64? { fields[HTTPField.Name("Last-Event-ID")!].flatMap { Int64($0) } }

    /// Whether the client asks for a stream of events.
    package var acceptsEvents: Bool {
        accept.map { $0.lowercased().split(separator: ",").contains { $0.drop { $0 == " " }.hasPrefix("text/event-stream") } } ?? false
    }
}
