import AsyncHTTPClient
import Foundation
import NIOCore

/// One server-sent event.
struct StreamEvent: Sendable {
    var id: String?
    var name = "message"
    var data = ""

    /// - Throws: when the data is not a JSON object.
    func json() throws -> [String: Any] {
        guard let object = try JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any] else { throw NotAnObject() }
        return object
    }

    struct NotAnObject: Error {}
}

extension HTTPClientResponse {
    /// Reads the events of the response.
    /// - Parameter take: returns `false` to read no further.
    func events(_ take: (StreamEvent) async throws -> Bool) async throws {
        var event = StreamEvent()
        var line: [UInt8] = []
        for try await chunk in body {
            for byte in chunk.readableBytesView {
                guard byte == UInt8(ascii: "\n") else {
                    line.append(byte)
                    continue
                }
                let text = String(decoding: line, as: UTF8.self)
                line.removeAll(keepingCapacity: true)
                if text.isEmpty {
                    if !event.data.isEmpty, try await !take(event) { return }
                    event = StreamEvent()
                } else if let colon = text.firstIndex(of: ":"), colon != text.startIndex {
                    let value = String(text[text.index(after: colon)...].drop { $0 == " " })
                    switch text[..<colon] {
                    case "id": event.id = value
                    case "event": event.name = value
                    case "data": event.data = value
                    default: break
                    }
                }
            }
        }
    }
}
