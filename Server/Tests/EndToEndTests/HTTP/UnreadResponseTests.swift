import Foundation
import TestKit
import TestThreads
import Testing

/// Measures the memory of a server whose clients do not read responses that the server makes while it sends them.
@Suite("Memory of unread responses", .blocksThreads, .runsAlone)
struct UnreadResponseTests {
    private static let clientCount = 120
    /// The most memory that the server may use for each client, in bytes.
    private static let share = 300_000
    /// 396 KB: a character of four bytes, repeated.
    private static let text = String(repeating: "🌊", count: 99_000)

    @Test(
        "exports of a conversation with long messages, and streams of its answer, hold at most 0.3 MB for each client",
        arguments: ["export", "stream"])
    func chat(_ kind: String) async throws {
        let installation = try Installation(.embedded)
        let server = try installation.node("one")
        let person = try installation.person()
        let client = try Client(port: server.port, person: person)
        var conversation: String?
        for number in 0..<4 { conversation = try client.say(Self.text, id: "m\(number)", in: conversation) }
        let id = try #require(conversation)
        let path = kind == "export" ? "/api/chat/convos/\(id)/export" : "/api/chat/agents/chat/stream/\(id)?resume=true"
        let request = client.head("GET", path) + (kind == "export" ? "\r\n" : "Accept: text/event-stream\r\n\r\n")
        // One client reads a response first, because the first response of a kind takes additional memory.
        let reader = try RawConnection(port: server.port)
        try reader.send(request)
        #expect(try reader.head().status == 200)
        _ = try reader.bytes(kind == "export" ? 1_500_000 : 700_000)
        try await Task.sleep(for: .milliseconds(500))
        let idle = try server.residentByteCount()
        let clients = try (0..<Self.clientCount).map { _ in
            let client = try RawConnection(port: server.port, receiveByteCount: 4_096)
            try client.send(request)
            return client
        }
        // While the server begins the responses, it needs more for a moment. A client that does not read holds its part for as long as it
        // is connected, so the least of the later values is measured.
        try await Task.sleep(for: .seconds(1))
        var held = Int.max
        for _ in 0..<5 {
            try await Task.sleep(for: .milliseconds(250))
            held = min(held, try server.residentByteCount() - idle)
        }
        #expect(held < Self.clientCount * Self.share, "\(held / Self.clientCount) bytes for each client")
        withExtendedLifetime(clients) {}
    }

    /// Sends requests of surface 2.
    private struct Client {
        let connection: RawConnection
        let token: String

        init(port: Int, person: CampaignPerson) throws {
            connection = try RawConnection(port: port)
            token = person.token
        }

        func head(_ method: String, _ path: String) -> String {
            "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n"
        }

        func message(_ text: String, id: String, in conversation: String?) -> String {
            let place = conversation.map { ", \"conversationId\": \"\($0)\"" } ?? ""
            let body = "{\"text\": \"\(text)\", \"messageId\": \"\(id)\", \"isCreatedByUser\": true\(place)}"
            return head("POST", "/api/chat/agents/chat/google")
                + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
        }

        /// - Returns: the id of the conversation.
        func say(_ text: String, id: String, in conversation: String?) throws -> String {
            try connection.send(message(text, id: id, in: conversation))
            let answer = try connection.answer()
            try #require(answer.status == 200, "\(answer.text.prefix(300))")
            let object = try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any]
            return try #require((object?["conversation"] as? [String: Any])?["conversationId"] as? String)
        }
    }
}
