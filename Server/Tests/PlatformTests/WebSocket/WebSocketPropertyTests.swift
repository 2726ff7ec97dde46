import NIOCore
import TestKit
import TestThreads
import Testing

@testable import Web

/// Random conversations, and random bytes. `WebSocketClient` writes the client's bytes and shares no code with the parser.
@Suite("RFC 6455 under random conversations", .blocksThreads)
struct WebSocketPropertyTests {
    typealias Client = WebSocketClient

    /// A conversation of a client that follows the protocol, and its expected outcome.
    private struct Conversation {
        var bytes: [UInt8] = []
        var expected: [WebSocketProtocol.Action] = []

        init(_ random: inout SplitMix64) {
            for _ in 0..<Int.random(in: 1...6, using: &random) { addMessage(&random) }
            if Bool.random(using: &random) {
                let code = [1_000, 1_001, 3_000, 4_999].randomElement(using: &random)!
                bytes += Client.closing(code, "bye")
                let close = WebSocketClose(.init(rawValue: UInt16(code)), "bye")
                expected.append(.peerClosed(close, answer: ByteBuffer(integer: UInt16(code))))
                bytes += Self.payload(&random)
            }
        }

        private static func payload(_ random: inout SplitMix64) -> [UInt8] {
            let sizes = [0, 1, 7, 8, 9, 125, 126, 127, 400, 65_535, 65_536]
            let count =
                Int.random(in: 0...20, using: &random) == 0 ? sizes.randomElement(using: &random)! : .random(in: 0...60, using: &random)
            return (0..<count).map { _ in .random(in: .min ... .max, using: &random) }
        }

        private mutating func addMessage(_ random: inout SplitMix64) {
            let isText = Bool.random(using: &random)
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                ["a", "ö", "漢", "🌍", "plain words "].randomElement(using: &random)!
            }.joined()
            let payload = isText ? Array(text.utf8) : Self.payload(&random)
            var cuts = (0..<Int.random(in: 0...3, using: &random)).map { _ in Int.random(in: 0...payload.count, using: &random) }.sorted()
            cuts.append(payload.count)
            var start = 0
            for (index, end) in cuts.enumerated() {
                if Int.random(in: 0...2, using: &random) == 0 { addControl(&random) }
                bytes += Client.bytes(
                    index > 0 ? 0 : isText ? 1 : 2, Array(payload[start..<end]), isFinal: index == cuts.count - 1, mask: mask(&random))
                start = end
            }
            expected.append(.deliver(isText ? .text(text) : .binary(ByteBuffer(bytes: payload))))
        }

        private mutating func addControl(_ random: inout SplitMix64) {
            let payload = (0..<Int.random(in: 0...125, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let isPing = Bool.random(using: &random)
            bytes += Client.bytes(isPing ? 9 : 10, payload, mask: mask(&random))
            expected.append(isPing ? .pong(ByteBuffer(bytes: payload)) : .receivedPong)
        }

        private func mask(_ random: inout SplitMix64) -> [UInt8] { (0..<4).map { _ in .random(in: .min ... .max, using: &random) } }
    }

    private func cuts(_ count: Int, _ random: inout SplitMix64) -> [Int] {
        guard count > 0 else { return [] }
        return (0..<Int.random(in: 0...8, using: &random)).map { _ in Int.random(in: 0...count, using: &random) }.sorted()
    }

    @Test("messages of a client that follows the protocol are read, however its bytes are cut")
    func conversations() {
        var random = SplitMix64(seed: 6_455)
        var count = 0
        for _ in 0..<1_000 {
            let conversation = Conversation(&random)
            let found = actions(conversation.bytes, cuts: cuts(conversation.bytes.count, &random))
            if found != conversation.expected {
                Issue.record("expected \(conversation.expected), found \(found)")
                return
            }
            count += found.count
        }
        #expect(count > 4_000)
    }

    @Test("damaged bytes have the same outcome however they are cut, and never exceed the limits")
    func damage() {
        var random = SplitMix64(seed: 13)
        var limits = WebSocketLimits()
        (limits.frameByteCount, limits.messageByteCount) = (500, 800)
        var failures = 0
        for _ in 0..<1_200 {
            var bytes = Conversation(&random).bytes
            for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
                bytes[.random(in: bytes.indices, using: &random)] = .random(in: .min ... .max, using: &random)
            }
            let whole = actions(bytes, limits: limits)
            if actions(bytes, cuts: cuts(bytes.count, &random), limits: limits) != whole { Issue.record("\(bytes)") }
            for case .deliver(let message) in whole where message.byteCount > limits.messageByteCount { Issue.record("\(message)") }
            let ends = whole.filter {
                switch $0 {
                case .fail, .peerClosed: true
                default: false
                }
            }
            if ends.count > 1 { Issue.record("it ended twice: \(ends)") }
            if case .fail = whole.last { failures += 1 }
        }
        #expect((300...1_150).contains(failures))
    }

    @Test("an open connection holds no more than its limits, whatever is sent")
    func noise() {
        var random = SplitMix64(seed: 99)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...64, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            let found = actions(bytes)
            // Random bytes rarely form a whole masked frame; every action other than a close comes from such a frame.
            #expect(found.count <= bytes.count / 6 + 1)
        }
    }
}
