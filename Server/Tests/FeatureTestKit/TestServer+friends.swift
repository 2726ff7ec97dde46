import Foundation
import KeepsakeWire
import Testing

extension TestServer.Answer {
    /// Decodes a response of surface 1, whose dates are strings.
    func decodeCoves<T: Decodable>(_ type: T.Type) throws -> T {
        try #require(status == 200, "\(text)")
        return try Surface.coves.makeDecoder().decode(type, from: body)
    }
}

extension TestServer {
    /// The person's live events whose type begins with `prefix`, oldest first.
    func liveEvents(_ prefix: String, as person: Person) async throws -> [(type: String, data: [String: String])] {
        let answer = try await send("GET", "/events?since=0&wait=0", as: person)
        let items = try answer.json()["items"] as? [[String: Any]] ?? []
        return items.compactMap { item in
            guard let type = item["type"] as? String, type.hasPrefix(prefix) else { return nil }
            return (type, item["data"] as? [String: String] ?? [:])
        }
    }
}
