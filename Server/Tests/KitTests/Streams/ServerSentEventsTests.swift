import Foundation
import Testing

@testable import KeepsakeKit

@Suite("KeepsakeKit's reader of server-sent events")
struct ServerSentEventsTests {
    /// A stream with all three line ends, a byte order mark, comments, unknown fields, characters of several bytes, and an event without an
    /// end.
    private static let text =
        "\u{FEFF}: comment\r\nid: 7\r\nevent: note\r\ndata: {\"a\":\"ä 🪁\"}\r\n\r\n"
        + "data:one\ndata:  two\ndata\ncolour: red\n\nid: 8\rdata: x\r\revent: nothing\n\ndata\n\nid: 9\u{0}\ndata: y\n\n"
        + "Data: z\ndata: \u{FEFF}\n\nid\ndata: w\n\nretry: 1500\nretry: 1x\nretry:\nid: 10\ndata: half\n"

    private static let events = [
        ServerSentEvents.Event(name: "note", id: "7", data: "{\"a\":\"ä 🪁\"}"), .init(id: "7", data: "one\n two\n"),
        .init(id: "8", data: "x"), .init(id: "8", data: ""), .init(id: "8", data: "y"), .init(id: "8", data: "\u{FEFF}"),
        .init(id: "", data: "w"),
    ]

    @Test("events are the same wherever the bytes are cut, each byte alone included")
    func cuts() throws {
        let bytes = Data(Self.text.utf8)
        for size in 1...bytes.count {
            var reader = ServerSentEvents()
            var events: [ServerSentEvents.Event] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                events += try reader.receive(bytes[start..<min(start + size, bytes.count)])
                events += try reader.receive(Data())
            }
            #expect(events == Self.events, "pieces of \(size)")
            #expect(reader.retry == .milliseconds(1_500))
        }
    }

    @Test("without a byte order mark, and with nothing at all")
    func plain() throws {
        var reader = ServerSentEvents()
        let events = try reader.receive(Data("data: a\n\n".utf8))
        #expect(events == [.init(data: "a")])
        let none = try reader.receive(Data("\n\r\n\r\r:\n".utf8))
        #expect(none.isEmpty && reader.retry == nil)
    }

    @Test("bytes that are not text are replaced, and the events after them are read")
    func notText() throws {
        var reader = ServerSentEvents()
        let events = try reader.receive(Data(Array("data: ".utf8) + [0xFF] + Array("\n\ndata: b\n\n".utf8)))
        #expect(events == [.init(data: "\u{FFFD}"), .init(data: "b")])
    }

    @Test(
        "a line and an event that are too large are refused, and many small events are not",
        arguments: [String(repeating: "a", count: 101), String(repeating: "data: aaaaaaaaa\n", count: 12)])
    func limit(_ text: String) throws {
        var reader = ServerSentEvents(limit: 100)
        let small = try reader.receive(Data(String(repeating: "data: a\n\n: comment\n", count: 1_000).utf8))
        #expect(small.count == 1_000)
        #expect { try reader.receive(Data(text.utf8)) } throws: { ($0 as? KeepsakeError)?.code == .invalidResponse }
    }
}
