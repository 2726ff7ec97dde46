import TestKit

/// One conversation with an echo server, numbered by the section of the Autobahn test suite with the same test.
struct SocketCase: Sendable {
    let section: String
    /// The chunks to send, one after another.
    let sent: [[UInt8]]
    /// The frames that the server sends first.
    let expected: [WebSocketClient.Frame]
    /// The close code of the server; with `nil`, the client closes with 1000 and the server replies.
    let closes: Int?

    init(_ section: String, _ sent: [[UInt8]], _ expected: [WebSocketClient.Frame], closes: Int? = nil) {
        self.section = section
        self.sent = sent
        self.expected = expected
        self.closes = closes
    }

    typealias Client = WebSocketClient
    typealias Frame = WebSocketClient.Frame

    static var all: [SocketCase] {
        framing + pings + reserved + fragments + texts + closes + limits
    }

    private static func star(_ count: Int) -> [UInt8] { [UInt8](repeating: UInt8(ascii: "*"), count: count) }

    private static func chopped(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min($0 + size, bytes.count)]) }
    }

    private static var framing: [SocketCase] {
        [0, 125, 126, 127, 128, 65_535, 65_536].flatMap { count in
            [
                SocketCase("1.1", [Client.bytes(1, star(count))], [Frame(1, star(count))]),
                SocketCase("1.2", [Client.bytes(2, star(count))], [Frame(2, star(count))]),
                SocketCase("1.1 in pieces", chopped(Client.bytes(1, star(count)), max(1, count / 60)), [Frame(1, star(count))]),
            ]
        }
    }

    private static var pings: [SocketCase] {
        let sizes = [0, 1, 8, 125].map { size in SocketCase("2", [Client.bytes(9, star(size))], [Frame(10, star(size))]) }
        let answers = (0..<10).map { Frame(10, star($0)) }
        let ten = (0..<10).map { Client.bytes(9, star($0)) }
        return sizes + [
            SocketCase("2.4", [Client.bytes(9, [0, 255, 254, 253])], [Frame(10, [0, 255, 254, 253])]),
            SocketCase("2.5", [Client.bytes(9, star(126))], [], closes: 1_002),
            SocketCase("2.6", chopped(Client.bytes(9, star(125)), 1), [Frame(10, star(125))]),
            SocketCase("2.7", [Client.bytes(10, []), Client.bytes(10, star(9))], []),
            SocketCase("2.10", ten, answers),
            SocketCase("2.11", chopped(ten.flatMap { $0 }, 1), answers),
        ]
    }

    private static var reserved: [SocketCase] {
        var cases: [SocketCase] = []
        for bits in UInt8(1)...7 {
            for opcode in [1, 2, 8, 9, 10] as [UInt8] {
                let first: UInt8 = 0x80 | bits << 4 | opcode
                cases.append(SocketCase("3", [Client.bytes(opcode, star(3), first: first)], [], closes: 1_002))
            }
        }
        for opcode in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8] {
            for payload in [[], star(5)] { cases.append(SocketCase("4", [Client.bytes(opcode, payload)], [], closes: 1_002)) }
        }
        return cases
    }

    private static var fragments: [SocketCase] {
        let (one, two) = (Client.bytes(1, star(3), isFinal: false), Client.bytes(0, star(4)))
        let open = Client.bytes(0, star(2), isFinal: false)
        return [
            SocketCase("5.1", [Client.bytes(9, star(1), isFinal: false), Client.bytes(0, star(1))], [], closes: 1_002),
            SocketCase("5.2", [Client.bytes(10, star(1), isFinal: false), Client.bytes(0, star(1))], [], closes: 1_002),
            SocketCase("5.3", [one, two], [Frame(1, star(7))]),
            SocketCase("5.4", [one + two], [Frame(1, star(7))]),
            SocketCase("5.5", chopped(one + two, 1), [Frame(1, star(7))]),
            SocketCase("5.6", [one, Client.bytes(9, star(1)), two], [Frame(10, star(1)), Frame(1, star(7))]),
            SocketCase("5.9", [Client.bytes(0, star(1)), one], [], closes: 1_002),
            SocketCase("5.12", [open, one], [], closes: 1_002),
            SocketCase("5.15", [one, two, open, Client.bytes(1, [])], [Frame(1, star(7))], closes: 1_002),
            SocketCase("5.18", [one, Client.bytes(1, star(1))], [], closes: 1_002),
            SocketCase(
                "5.19", [one, open, Client.bytes(9, [1]), open, Client.bytes(9, [2]), two],
                [Frame(10, [1]), Frame(10, [2]), Frame(1, star(11))]),
            SocketCase("6.1", [Client.bytes(1, [])], [Frame(1, [])]),
            SocketCase(
                "6.1", [Client.bytes(1, [], isFinal: false), Client.bytes(0, [], isFinal: false), Client.bytes(0, [])], [Frame(1, [])]),
        ]
    }

    /// Markus Kuhn's stress test for UTF-8 decoders.
    private static var texts: [SocketCase] {
        let valid: [[UInt8]] = [
            Array("κόσμε".utf8), Array("hello\u{24}€𤭢".utf8), [0x00], [0xC2, 0x80], [0xE0, 0xA0, 0x80], [0xF0, 0x90, 0x80, 0x80], [0x7F],
            [0xDF, 0xBF], [0xEF, 0xBF, 0xBF], [0xF4, 0x8F, 0xBF, 0xBF], [0xED, 0x9F, 0xBF], [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBD],
            [0xEF, 0xBF, 0xBE], [0xF0, 0x9F, 0xBF, 0xBF], [0xF3, 0xBF, 0xBF, 0xBF],
        ]
        let invalid: [[UInt8]] = [
            [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFC, 0x84, 0x80, 0x80, 0x80, 0x80], [0xF7, 0xBF, 0xBF, 0xBF], [0xFB, 0xBF, 0xBF, 0xBF, 0xBF],
            [0xFD, 0xBF, 0xBF, 0xBF, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0x80], [0xBF], [0x80, 0xBF], [0xC0, 0x20], [0xE0, 0x20],
            [0xF0, 0x20], [0xF8, 0x20], [0xFC, 0x20], [0xC0], [0xE0, 0x80], [0xF0, 0x80, 0x80], [0xDF], [0xEF, 0xBF], [0xF7, 0xBF, 0xBF],
            [0xFE], [0xFF], [0xFE, 0xFE, 0xFF, 0xFF], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF0, 0x80, 0x80, 0xAF], [0xC1, 0xBF],
            [0xE0, 0x9F, 0xBF], [0xF0, 0x8F, 0xBF, 0xBF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
            [0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80], Array("κόσμε".utf8) + [0xED, 0xA0, 0x80] + Array("edited".utf8),
        ]
        var cases: [SocketCase] = []
        for bytes in valid {
            let pieces = bytes.indices.map { Client.bytes($0 == 0 ? 1 : 0, [bytes[$0]], isFinal: $0 == bytes.count - 1) }
            cases.append(SocketCase("6", [Client.bytes(1, bytes)], [Frame(1, bytes)]))
            cases.append(SocketCase("6 cut", pieces, [Frame(1, bytes)]))
        }
        for bytes in invalid {
            let pieces = [Client.bytes(1, [bytes[0]], isFinal: false), Client.bytes(0, Array(bytes[1...]))]
            cases.append(SocketCase("6", [Client.bytes(1, bytes)], [], closes: 1_007))
            cases.append(SocketCase("6.4 cut", pieces, [], closes: 1_007))
        }
        return cases
    }

    private static var closes: [SocketCase] {
        let valid = [1_000, 1_001, 1_002, 1_003, 1_007, 1_008, 1_009, 1_010, 1_011, 3_000, 3_999, 4_000, 4_999].map { code in
            SocketCase("7.7", [Client.closing(code)], [], closes: code)
        }
        let invalid = [0, 999, 1_004, 1_005, 1_006, 1_016, 1_100, 2_000, 2_999, 5_000, 65_535].map { code in
            SocketCase("7.9", [Client.closing(code)], [], closes: 1_002)
        }
        return valid + invalid
            + [
                SocketCase("7.1.1", [Client.bytes(1, star(5))], [Frame(1, star(5))]),
                SocketCase("7.1.2", [Client.closing(1_000), Client.closing(1_000)], [], closes: 1_000),
                SocketCase("7.1.3", [Client.closing(1_000), Client.bytes(9, [])], [], closes: 1_000),
                SocketCase("7.1.4", [Client.closing(1_000), Client.bytes(1, star(9))], [], closes: 1_000),
                SocketCase(
                    "7.1.5", [Client.bytes(1, star(9), isFinal: false), Client.closing(1_000), Client.bytes(0, [])], [], closes: 1_000),
                SocketCase("7.3.2", [Client.bytes(8, [3])], [], closes: 1_002),
                SocketCase("7.3.5", [Client.closing(1_000, String(repeating: "*", count: 123))], [], closes: 1_000),
                SocketCase("7.3.6", [Client.closing(1_000, String(repeating: "*", count: 124))], [], closes: 1_002),
                SocketCase("7.5.1", [Client.bytes(8, [3, 232, 0xCE, 0xBA, 0xED, 0xA0, 0x80])], [], closes: 1_007),
            ]
    }

    private static var limits: [SocketCase] {
        var cases: [SocketCase] = []
        for size in [65_536, 262_144] {
            for part in [256, 4_096, 65_536] {
                let payload = star(size)
                var bytes: [UInt8] = []
                for start in stride(from: 0, to: size, by: part) {
                    bytes += Client.bytes(start == 0 ? 2 : 0, star(part), isFinal: start + part == size)
                }
                cases.append(SocketCase("9.4", [bytes], [Frame(2, payload)]))
            }
        }
        return cases + [
            SocketCase("9 too much", [Client.bytes(2, star(262_145))], [], closes: 1_009),
            SocketCase("10.1", chopped(Client.bytes(1, star(65_536)), 1_300), [Frame(1, star(65_536))]),
        ]
    }
}
