import Foundation
import KeepsakeKit
import KeepsakeWire

/// What a socket is for, and which session it belongs to.
struct FakeOpening: Sendable {
    enum Kind: Sendable { case events, captures }

    let kind: Kind
    let user: String
    let session: String
    /// The number of the last event that the client has seen.
    let since: Int64
}

/// A WebSocket of the fake server.
///
/// `@unchecked Sendable`: the server's lock guards `replies` and `last`, `lock` guards `closed`.
final class FakeSocket: TransportSocket, @unchecked Sendable {
    static let ended = KeepsakeError(.network, "The connection has ended.")

    let opening: FakeOpening
    let epoch: Int
    var replies: [String] = []
    var last: Int64
    private let server: FakeServer
    private let lock = NSLock()
    private var closed = false

    init(_ server: FakeServer, _ opening: FakeOpening, _ epoch: Int) {
        self.server = server
        self.opening = opening
        self.epoch = epoch
        last = opening.since
    }

    var isClosed: Bool { lock.withLock { closed } }

    func receive() async throws -> String { try await server.next(self) }
    func send(_ text: String) async throws { try server.take(text, from: self) }
    func close() { lock.withLock { closed = true } }
}

extension FakeState {
    func nextMessage(_ socket: FakeSocket) -> String? {
        if !socket.replies.isEmpty { return socket.replies.removeFirst() }
        let page = events(of: socket.opening.user, since: socket.last, limit: 1)
        if page.reset {
            socket.last = page.seq
            return #"{"type":"reset","seq":\#(page.seq)}"#
        }
        guard let event = page.items.first else { return nil }
        socket.last = event.seq
        let encoder = Surface.captures.makeEncoder()
        switch socket.opening.kind {
        case .events: return (try? encoder.encode(event)).map { String(decoding: $0, as: UTF8.self) }
        case .captures:
            guard event.type == "capture.processed", case .object(var message) = event.data else { return nextMessage(socket) }
            message["captureId"] = message.removeValue(forKey: "id")
            message["type"] = .string("memory_processed")
            message["seq"] = .integer(event.seq)
            return (try? encoder.encode(JSONValue.object(message))).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
