import Foundation
import KeepsakeWire
import NIOCore
import Testing

@testable import Web
@testable import WireJSON

@Suite("Responses that consist of a list")
struct ListResponseTests {
    private static var responses: [(name: String, response: any ListResponse)] {
        [
            ("an empty page", ItemPage<[String]>(items: [], nextCursor: nil)),
            ("a page with lists in its rows", ItemPage(items: [["a", "\u{1}"], [], ["[]"]], nextCursor: "c")),
            ("found messages", ChatSearchPage(messages: [message("one"), message("[]")], nextCursor: nil)),
            ("messages", [message("one"), message("\"two\"")]),
            ("no messages", [ChatMessage]()),
        ]
    }

    private static func message(_ text: String) -> ChatMessage {
        ChatMessage(
            messageId: "m", conversationId: "c", parentMessageId: "p", text: text, sender: "User", isCreatedByUser: true,
            createdAt: Date(timeIntervalSince1970: 0), updatedAt: Date(timeIntervalSince1970: 1), error: false, unfinished: false,
            endpoint: "e", model: nil, files: [])
    }

    @Test("encoding the elements one after the other gives the same bytes as the encoder", arguments: 0..<5)
    func same(_ index: Int) throws {
        let (name, response) = Self.responses[index]
        let encoder = Surface.chat.makeEncoder()
        let whole = try encoder.encode(response)
        let buffer = try response.json(encoder, most: whole.count + 1)
        #expect(Data(buffer.readableBytesView) == whole, "\(name)")
    }

    @Test("JSON above the limit is refused with an estimate of its length")
    func tooLong() throws {
        let page = ItemPage(items: Array(repeating: String(repeating: "\u{1}", count: 1_000), count: 100), nextCursor: "c")
        let encoder = Surface.captures.makeEncoder()
        let whole = try encoder.encode(page).count
        let error = #expect(throws: JSONWriter.TooLong.self) { try page.json(encoder, most: 100_000) }
        let estimate = try #require(error?.byteCount)
        #expect(abs(estimate - whole) < whole / 10, "\(estimate) of \(whole)")
    }
}
