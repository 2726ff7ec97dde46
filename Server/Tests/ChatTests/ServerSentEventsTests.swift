import Intelligence
import NIOCore
import Testing

@Suite("Server-sent events")
struct ServerSentEventsTests {
    private static let text =
        "\u{3A} comment\r\nid: 7\r\nevent: message\r\ndata: {\"a\":\"ä\"}\r\n\r\ndata:one\ndata: two\n\nid: 8\rdata: x\r\revent: nothing\n\ndata\n\n"

    private static let events = [
        ServerSentEvents.Event(name: "message", id: "7", data: "{\"a\":\"ä\"}"), .init(name: "message", id: "7", data: "one\ntwo"),
        .init(name: "message", id: "8", data: "x"), .init(name: "message", id: "8", data: ""),
    ]

    @Test("events are the same wherever the bytes are cut")
    func cuts() throws {
        let bytes = Array(Self.text.utf8)
        for size in 1...bytes.count {
            var reader = ServerSentEvents()
            var events: [ServerSentEvents.Event] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                events += try reader.receive(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)]))
            }
            #expect(events == Self.events, "pieces of \(size)")
        }
    }

    @Test("an event that is too large is refused, in one line or in many")
    func limit() {
        for text in [String(repeating: "a", count: 101), String(repeating: "data: aaaaaaaaa\n", count: 12)] {
            var reader = ServerSentEvents(limit: 100)
            #expect(throws: ServerSentEvents.TooLarge.self) { try reader.receive(ByteBuffer(string: text)) }
        }
    }
}
