import Foundation
import TestKit

/// An HTTP/2 client that works frame by frame, so that it can send frames that no library would send.
final class RawHTTP2 {
    struct Frame: Sendable {
        let type: UInt8
        let flags: UInt8
        let stream: UInt32
        let payload: [UInt8]
        var errorCode: UInt32 { payload.suffix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    }

    static let (data, headers, reset, settings, ping, goAway, windowUpdate): (UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8) = (
        0, 1, 3, 4, 6, 7, 8
    )
    let connection: RawConnection
    /// Frames that `together` sends at its end.
    private var held: [UInt8]?
    private(set) var serverSettings: [UInt16: UInt32] = [:]

    /// - Parameter window: the initial window of each stream in bytes: what the server may send before a WINDOW_UPDATE.
    init(port: Int, window: UInt32 = 65_535, from source: String? = nil, receiveByteCount: Int? = nil) throws {
        connection = try RawConnection(port: port, from: source, receiveByteCount: receiveByteCount)
        try connection.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        try send(Self.settings, payload: [0, 4] + Self.bytes(window))
        let settings = try frame { $0.type == Self.settings && $0.flags == 0 }
        for index in stride(from: 0, to: settings.payload.count, by: 6) {
            let entry = settings.payload[index..<index + 6]
            serverSettings[entry.prefix(2).reduce(0) { $0 << 8 | UInt16($1) }] = entry.suffix(4).reduce(0) { $0 << 8 | UInt32($1) }
        }
        try send(Self.settings, flags: 1)
    }

    static func bytes(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * UInt32($0))) } }

    func send(_ type: UInt8, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) throws {
        let frame = Array(Self.bytes(UInt32(payload.count)).dropFirst()) + [type, flags] + Self.bytes(stream) + payload
        if held == nil { try connection.send(frame) } else { held? += frame }
    }

    /// Sends all frames of `frames` together, so that the server reads them together.
    func together(_ frames: () throws -> Void) throws {
        held = []
        defer { held = nil }
        try frames()
        try connection.send(held ?? [])
    }

    /// Sends a HEADERS frame with every field as a literal (RFC 7541 §6.2.2).
    func request(
        _ stream: UInt32, _ method: String, _ path: String, _ fields: [(String, String)] = [], authority: String = "a", ends: Bool
    ) throws {
        var block: [UInt8] = []
        for (name, value) in [(":method", method), (":path", path), (":scheme", "http"), (":authority", authority)] + fields {
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8) + [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        try send(Self.headers, flags: ends ? 5 : 4, stream: stream, payload: block)
    }

    /// Sends one GET request on each stream, all in one write.
    func requests(_ streams: [UInt32], _ path: String) throws {
        try together {
            for stream in streams { try request(stream, "GET", path, ends: true) }
        }
    }

    func body(_ stream: UInt32, _ bytes: [UInt8], ends: Bool = false) throws {
        try send(Self.data, flags: ends ? 1 : 0, stream: stream, payload: bytes)
    }

    func next() throws -> Frame {
        let head = try connection.bytes(9)
        let length = head.prefix(3).reduce(0) { $0 << 8 | Int($1) }
        return Frame(
            type: head[3], flags: head[4], stream: head[5...8].reduce(0) { $0 << 8 | UInt32($1) }, payload: try connection.bytes(length))
    }

    /// Returns the next frame that matches. Drops the frames before it and answers pings.
    func frame(_ wanted: (Frame) -> Bool) throws -> Frame {
        while true {
            let frame = try next()
            if frame.type == Self.ping, frame.flags == 0 { try send(Self.ping, flags: 1, payload: frame.payload) }
            if wanted(frame) { return frame }
        }
    }

    /// The number of fields that the block of a HEADERS frame adds to the dynamic table (RFC 7541 §6.2.1).
    static func additions(_ block: [UInt8]) -> Int {
        var (rest, count) = (block[...], 0)
        func number(_ prefix: UInt8) -> Int {
            let start = (rest.popFirst() ?? 0) & prefix
            guard start == prefix else { return Int(start) }
            var (number, shift) = (Int(prefix), 0)
            while let byte = rest.popFirst() {
                number += Int(byte & 0x7F) << shift
                shift += 7
                if byte & 0x80 == 0 { break }
            }
            return number
        }
        func skipText() {
            let byteCount = number(0x7F)
            rest = rest.dropFirst(byteCount)
        }
        while let first = rest.first {
            if first & 0x80 != 0 {
                _ = number(0x7F)
            } else if first & 0xE0 == 0x20 {
                _ = number(0x1F)
            } else {
                let isAdded = first & 0x40 != 0
                if isAdded { count += 1 }
                if number(isAdded ? 0x3F : 0x0F) == 0 { skipText() }
                skipText()
            }
        }
        return count
    }

    /// The `:status` of a response's HEADERS frame, which the server's encoder writes as an index or as a literal.
    static func status(_ frame: Frame) -> Int? {
        let known: [UInt8: Int] = [0x88: 200, 0x89: 204, 0x8A: 206, 0x8B: 304, 0x8C: 400, 0x8D: 404, 0x8E: 500]
        guard let first = frame.payload.first else { return nil }
        if let status = known[first] { return status }
        guard first & 0x0F == 8 || first == 0x48 || first == 0x08, frame.payload.count >= 4 else { return nil }
        let isHuffman = frame.payload[1] & 0x80 != 0
        guard isHuffman else {
            guard frame.payload.count >= 5 else { return nil }
            return Int(String(decoding: frame.payload[2..<5], as: UTF8.self))
        }
        // Huffman-coded digits (RFC 7541 appendix B): 0, 1 and 2 take five bits, 3 to 9 six.
        let bits = frame.payload[2..<(2 + Int(frame.payload[1] & 0x7F))].flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        var (digits, index) = ("", 0)
        while digits.count < 3, index + 5 <= bits.count {
            let five = bits[index..<index + 5].reduce(0) { $0 << 1 | Int($1) }
            if five <= 2 {
                digits += "\(five)"
                index += 5
            } else {
                guard index + 6 <= bits.count else { return nil }
                let six = bits[index..<index + 6].reduce(0) { $0 << 1 | Int($1) }
                digits += "\(six - 0x19 + 3)"
                index += 6
            }
        }
        return Int(digits)
    }
}
