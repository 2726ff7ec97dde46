import Foundation
import TestKit

/// A socket of `/ws/ios/{user}` to a server process.
final class CapturePhone {
    private let socket: WebSocketClient

    init(_ server: ServerProcess, _ person: CampaignPerson) throws {
        socket = try WebSocketClient(
            port: server.port, path: "/ws/ios/\(person.id)", headers: [("Authorization", "Bearer \(person.token)")])
    }

    deinit { socket.connection.close() }

    /// Sends a capture and waits for its answer, which must be an acknowledgement.
    /// - Returns: how long that took, in seconds.
    func take(_ id: String, _ fields: [String: String]) throws -> Double {
        var message = ["type": "memory_capture", "id": id, "timestamp": "2026-05-01T08:00:00Z"]
        message.merge(fields) { $1 }
        let text = String(decoding: try JSONSerialization.data(withJSONObject: message), as: UTF8.self)
        let start = ContinuousClock.now
        try socket.send(text)
        while true {
            let answer = try next()
            if answer["type"] as? String == "memory_processed" { continue }
            guard answer["type"] as? String == "ack" else { throw NotAcknowledged(description: "\(answer)") }
            return (ContinuousClock.now - start) / .seconds(1)
        }
    }

    private func next() throws -> [String: Any] {
        try JSONSerialization.jsonObject(with: Data(try socket.nextMessage().payload)) as? [String: Any] ?? [:]
    }

    struct NotAcknowledged: Error, CustomStringConvertible {
        let description: String
    }
}
