import NIOCore
import TestKit
import TestThreads
import Testing

@testable import Web

/// The actions for all bytes of a client, read as a whole or in chunks.
func actions(_ bytes: [UInt8], cuts: [Int] = [], limits: WebSocketLimits = WebSocketLimits(), closing: Bool = false)
    -> [WebSocketProtocol.Action]
{
    var machine = WebSocketProtocol(limits: limits)
    if closing { machine.close() }
    var actions: [WebSocketProtocol.Action] = []
    var buffer = ByteBuffer()
    var start = 0
    for end in cuts + [bytes.count] {
        buffer.writeBytes(bytes[start..<end])
        start = end
        while let action = machine.receive(&buffer) { actions.append(action) }
    }
    return actions
}

@Suite("WebSocket protocol", .blocksThreads)
struct WebSocketProtocolTests {
    typealias Client = WebSocketClient

    private func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    /// The close code with which the server refuses the bytes, however they are cut into chunks.
    private func refusal(_ bytes: [UInt8], limits: WebSocketLimits = WebSocketLimits()) -> UInt16? {
        let whole = actions(bytes, limits: limits)
        #expect(actions(bytes, cuts: Array(1..<max(bytes.count, 1)), limits: limits) == whole)
        guard case .fail(let close) = whole.last else { return nil }
        return close.code?.rawValue
    }

    @Test("the parser reads the examples of RFC 6455 §5.7")
    func examples() {
        #expect(actions([0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]) == [.deliver(.text("Hello"))])
        #expect(
            actions(Client.bytes(1, text("Hel"), isFinal: false) + Client.bytes(0, text("lo"))) == [.deliver(.text("Hello"))])
        #expect(actions([0x89, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]) == [.pong(ByteBuffer(string: "Hello"))])
        for count in [256, 65_536] {
            let payload = [UInt8](repeating: 0xA5, count: count)
            #expect(actions(Client.bytes(2, payload)) == [.deliver(.binary(ByteBuffer(bytes: payload)))])
        }
    }

    @Test("control frames may arrive between the frames of a message")
    func interleaved() {
        let bytes =
            Client.bytes(1, text("a"), isFinal: false) + Client.bytes(9, text("p")) + Client.bytes(0, [], isFinal: false)
            + Client.bytes(10, text("q")) + Client.bytes(0, text("b")) + Client.bytes(2, []) + Client.bytes(1, [])
        let expected: [WebSocketProtocol.Action] = [
            .pong(ByteBuffer(string: "p")), .receivedPong, .deliver(.text("ab")), .deliver(.binary(ByteBuffer())), .deliver(.text("")),
        ]
        #expect(actions(bytes) == expected)
        #expect(actions(bytes, cuts: Array(1..<bytes.count)) == expected)
    }

    @Test(
        "an invalid frame header is 1002 before the payload has arrived",
        arguments: [
            ("reserved bit 1", Client.bytes(1, [], first: 0xC1)), ("reserved bit 2", Client.bytes(1, [], first: 0xA1)),
            ("reserved bit 3", Client.bytes(10, [], first: 0x9A)), ("opcode 3", Client.bytes(3, [])), ("opcode 7", Client.bytes(7, [])),
            ("opcode 11", Client.bytes(11, [])), ("opcode 15", Client.bytes(15, [])),
            ("unmasked", Client.bytes(1, [], mask: nil)), ("an unmasked close", Client.bytes(8, [], mask: nil)),
            ("a fragmented ping", Client.bytes(9, [], isFinal: false)), ("a fragmented close", Client.bytes(8, [], isFinal: false)),
            ("a ping of 126", Array(Client.bytes(9, [UInt8](repeating: 0, count: 126)).prefix(2))),
            ("a pong with a long length", Array(Client.bytes(10, [], lengthWidth: 8).prefix(2))),
            ("125 in two bytes", Array(Client.bytes(2, [UInt8](repeating: 0, count: 125), lengthWidth: 2).prefix(4))),
            ("65535 in eight bytes", [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]),
            ("a length with its first bit set", [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 1]),
            ("a continuation of nothing", Client.bytes(0, [])), ("a final continuation of nothing", Client.bytes(0, [], isFinal: false)),
            ("a text inside a text", Client.bytes(1, [], isFinal: false) + Client.bytes(1, [])),
            ("a continuation after the end", Client.bytes(1, []) + Client.bytes(0, [])),
        ] as [(String, [UInt8])])
    func wrongHeaders(_ what: String, _ bytes: [UInt8]) {
        #expect(refusal(bytes) == 1_002, "\(what)")
    }

    @Test("a message that is too large is 1009 as soon as its length has arrived")
    func tooBig() {
        var limits = WebSocketLimits()
        (limits.frameByteCount, limits.messageByteCount) = (1_000, 1_500)
        let frame = [UInt8](repeating: 0, count: 1_000)
        #expect(refusal(Array(Client.bytes(2, frame + [0]).prefix(4)), limits: limits) == 1_009)
        #expect(refusal([0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], limits: limits) == 1_009)
        let half = Array(frame.prefix(750))
        let exact = Client.bytes(2, half, isFinal: false) + Client.bytes(0, half)
        #expect(actions(exact, limits: limits) == [.deliver(.binary(ByteBuffer(bytes: half + half)))])
        let more = Client.bytes(2, half, isFinal: false) + Client.bytes(0, half + [1]).prefix(8)
        #expect(refusal(more, limits: limits) == 1_009)
    }

    @Test("a message of very many small frames is 1008, and one of long frames is not")
    func smallFrames() {
        func frames(_ count: Int, _ byteCount: Int) -> [UInt8] {
            let payload = [UInt8](repeating: 0x61, count: byteCount)
            return Client.bytes(1, payload, isFinal: false)
                + (1..<count).flatMap { _ in Client.bytes(0, payload, isFinal: false) }
        }
        #expect(refusal(frames(100, 0)) == nil)
        #expect(refusal(frames(101, 0)) == 1008)
        #expect(refusal(frames(101, 15)) == 1008)
        #expect(refusal(frames(110, 16)) == nil)
        let two = frames(100, 1) + Client.bytes(0, [], isFinal: true) + frames(100, 1)
        #expect(refusal(frames(99, 1) + Client.bytes(0, [], isFinal: true) + frames(100, 1)) == nil, "each message counts for itself")
        #expect(refusal(two) == 1008)
        // After the server's Close, the frames of a message are dropped.
        #expect(actions(frames(200, 0), closing: true).isEmpty)
    }

    @Test("a socket that accepts no messages closes with 1003 at the first one, but handles control frames")
    func speaksOnly() {
        var limits = WebSocketLimits()
        limits.takesMessages = false
        #expect(refusal(Client.bytes(9, []) + Client.bytes(1, text("x")).prefix(6), limits: limits) == 1_003)
        #expect(actions(Client.bytes(9, []), limits: limits) == [.pong(ByteBuffer())])
    }

    @Test("invalid UTF-8 is 1007 at the first invalid byte, also across frames")
    func notUTF8() {
        #expect(refusal(Client.bytes(1, [0x61, 0xFF])) == 1_007)
        #expect(refusal(Client.bytes(1, [0xE2, 0x82])) == 1_007, "cut off")
        #expect(refusal(Client.bytes(1, [0xE2], isFinal: false) + Client.bytes(0, [0x28], isFinal: false)) == 1_007)
        #expect(
            actions(Client.bytes(1, [0xE2], isFinal: false) + Client.bytes(9, []) + Client.bytes(0, [0x82, 0xAC])) == [
                .pong(ByteBuffer()), .deliver(.text("€")),
            ])
        // A frame of 100 bytes of which 8 have arrived.
        #expect(refusal(Array(Client.bytes(1, [0x61, 0xC0] + [UInt8](repeating: 0x61, count: 98)).prefix(8))) == 1_007)
        #expect(actions(Client.bytes(2, [0xFF])) == [.deliver(.binary(ByteBuffer(bytes: [0xFF])))])
    }

    @Test("a close is answered with its own code, and nothing after it is read")
    func closes() {
        for code in [1_000, 1_001, 1_002, 1_003, 1_007, 1_008, 1_009, 1_010, 1_011, 1_012, 1_013, 1_014, 3_000, 3_999, 4_000, 4_999] {
            let close = WebSocketClose(.init(rawValue: UInt16(code)), "why")
            #expect(
                actions(Client.closing(code, "why") + Client.bytes(9, [])) == [
                    .peerClosed(close, answer: ByteBuffer(integer: UInt16(code)))
                ])
        }
        #expect(actions(Client.closing(nil)) == [.peerClosed(WebSocketClose(nil), answer: ByteBuffer())])
        for code in [0, 999, 1_004, 1_005, 1_006, 1_015, 1_016, 1_100, 2_000, 2_999, 5_000, 65_535] {
            #expect(refusal(Client.closing(code)) == 1_002, "\(code)")
        }
        #expect(refusal(Client.bytes(8, [3])) == 1_002)
        #expect(refusal(Client.bytes(8, [3, 232, 0xFF])) == 1_007)
    }

    @Test("after the server's close, messages are dropped, valid or not, until the peer's close, which gets no reply")
    func closing() {
        let bytes =
            Client.bytes(1, [0xFF]) + Client.bytes(9, [1]) + Client.bytes(1, text("a"), isFinal: false) + Client.bytes(0, [0xC0])
            + Client.closing(1_000)
        #expect(actions(bytes, closing: true) == [.peerClosed(WebSocketClose(.normal), answer: nil)])
        #expect(actions(bytes, cuts: Array(1..<bytes.count), closing: true) == [.peerClosed(WebSocketClose(.normal), answer: nil)])
    }

    @Test("a close reason is cut to 123 bytes, never inside a character")
    func reasons() throws {
        let close = WebSocketClose(.normal, String(repeating: "é", count: 100))
        #expect(close.reason.utf8.count == 122 && close.payload.readableBytes == 124)
        #expect(try WebSocketClose(payload: close.payload) == close)
    }
}
