/// A WebSocket client that sends exactly the given frames, valid or not, over a blocking socket.
package final class WebSocketClient: Sendable {
    package let connection: RawConnection

    /// A frame as received.
    package struct Frame: Sendable, Equatable, CustomStringConvertible {
        package let isFinal: Bool
        /// 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong (RFC 6455 §11.8).
        package let opcode: UInt8
        package let payload: [UInt8]

        package init(_ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true) {
            self.isFinal = isFinal
            self.opcode = opcode
            self.payload = payload
        }

        package var text: String { String(decoding: payload, as: UTF8.self) }
        /// The status code of a Close frame; `nil` for other frames.
        package var closeCode: Int? { opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil }
        package var closeReason: String { String(decoding: payload.dropFirst(2), as: UTF8.self) }
        package var description: String { "\(opcode): \(closeCode.map { "\($0) \(closeReason)" } ?? text)" }
    }

    /// Thrown when the server rejects the handshake.
    package struct Refused: Error {
        package let answer: RawConnection.Answer
    }

    /// Wraps a connection whose handshake is complete, or that needs none.
    package init(_ connection: RawConnection) { self.connection = connection }

    /// Connects and performs the handshake.
    /// - Throws: `Refused` with the response when its status is not 101.
    package convenience init(port: Int, path: String, headers: [(String, String)] = [], timeout: Int = 30) throws {
        let connection = try RawConnection(port: port, timeout: timeout)
        try connection.send(Self.request(path, headers))
        let answer = try connection.answer()
        guard answer.status == 101 else { throw Refused(answer: answer) }
        self.init(connection)
    }

    /// The key of RFC 6455 §1.3; the server must respond with `s3pPLMBiTxaQ9kYGzzhZRbK+xOo=`.
    package static func request(_ path: String, _ headers: [(String, String)] = []) -> String {
        "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" + headers.map { "\($0.0): \($0.1)\r\n" }.joined() + "\r\n"
    }

    /// Encodes a client's frame.
    /// - Parameters:
    ///   - first: the first byte (FIN, reserved bits, opcode), to override the usual one.
    ///   - lengthWidth: 0, 2 or 8 bytes of extended length; `nil` for the shortest encoding.
    ///   - mask: `nil` sends the frame unmasked, which RFC 6455 forbids clients.
    package static func bytes(
        _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, first: UInt8? = nil, lengthWidth: Int? = nil,
        mask: [UInt8]? = [0x37, 0xFA, 0x21, 0x3D]
    ) -> [UInt8] {
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        var bytes = [first ?? (isFinal ? 0x80 : 0) | opcode]
        let count = UInt64(payload.count)
        switch lengthWidth ?? (count < 126 ? 0 : count < 65_536 ? 2 : 8) {
        case 0: bytes.append(maskBit | UInt8(count))
        case 2: bytes += [maskBit | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
        default: bytes += [maskBit | 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * UInt64($0))) }
        }
        guard let mask else { return bytes + payload }
        return bytes + mask + zip(payload, 0...).map { $0 ^ mask[$1 % 4] }
    }

    package static func closing(_ code: Int?, _ reason: String = "") -> [UInt8] {
        bytes(8, code.map { [UInt8($0 >> 8), UInt8($0 & 0xFF)] + Array(reason.utf8) } ?? [])
    }

    package func send(_ text: String) throws { try connection.send(Self.bytes(1, Array(text.utf8))) }
    package func close(_ code: Int? = 1_000) throws { try connection.send(Self.closing(code)) }

    /// Reads the next frame. Requires that it is unmasked and that its length has the shortest encoding.
    /// - Throws: `RawConnection.Failure`.
    package func next() throws -> Frame {
        let head = try connection.bytes(2)
        var length = Int(head[1])
        switch length {
        case 126:
            length = try connection.bytes(2).reduce(0) { $0 << 8 | Int($1) }
            guard length > 125 else { throw RawConnection.Failure.notHTTP }
        case 127:
            length = try connection.bytes(8).reduce(0) { $0 << 8 | Int($1) }
            guard length > 65_535 else { throw RawConnection.Failure.notHTTP }
        case 128...: throw RawConnection.Failure.notHTTP
        default: break
        }
        return Frame(head[0] & 0x7F, try connection.bytes(length), isFinal: head[0] & 0x80 != 0)
    }

    /// Reads the next message or Close. Responds to pings and ignores pongs.
    package func nextMessage() throws -> Frame {
        while true {
            let frame = try next()
            switch frame.opcode {
            case 9: try connection.send(Self.bytes(10, frame.payload))
            case 10: break
            default: return frame
            }
        }
    }

    /// Reads up to the Close, responds to it, and waits until the server closes the connection.
    package func nextClose() throws -> Frame {
        var frame = try nextMessage()
        while frame.opcode != 8 { frame = try nextMessage() }
        try? connection.send(Self.closing(frame.closeCode))
        return frame
    }
}
