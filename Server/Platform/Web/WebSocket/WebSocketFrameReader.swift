import Core
import NIOCore

/// Reads a client's frames (RFC 6455 §5.2) from bytes that arrive in chunks. It reports an invalid header at the first wrong byte, before
/// it waits for payload. It passes payload on as it arrives, so that a text is validated while it arrives.
///
/// NIO's own decoder returns only complete frames. It checks neither masks nor reserved bits, unknown opcodes or the encoding of the
/// length, and a complete frame no longer shows how its length was encoded.
struct WebSocketFrameReader: Sendable {
    enum Opcode: UInt8, Sendable {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10

        var isControl: Bool { rawValue >= 8 }
    }

    struct Header: Sendable, Equatable {
        let isFinal: Bool
        let opcode: Opcode
        /// Bytes of the payload.
        let byteCount: Int
    }

    /// The most bytes that a frame's payload may have.
    let limit: Int
    private var mask: UInt32 = 0
    /// Bytes of the current frame's payload that have not arrived yet.
    private(set) var missing = 0

    init(limit: Int) { self.limit = limit }

    /// The next frame's header, once it has arrived completely. Call it when the payload of the previous frame is complete.
    /// - Throws: `WebSocketClose`, which says how to close the socket.
    mutating func header(from bytes: inout ByteBuffer) throws(WebSocketClose) -> Header? {
        guard let first = bytes.getInteger(at: bytes.readerIndex, as: UInt8.self) else { return nil }
        guard first & 0x70 == 0 else { throw Self.fault("Reserved bits are set; no extension was agreed on.") }
        guard let opcode = Opcode(rawValue: first & 0x0F) else { throw Self.fault("This opcode is reserved.") }
        let isFinal = first & 0x80 != 0
        guard isFinal || !opcode.isControl else { throw Self.fault("A control frame is fragmented.") }
        guard let second = bytes.getInteger(at: bytes.readerIndex + 1, as: UInt8.self) else { return nil }
        guard second & 0x80 != 0 else { throw Self.fault("A client's frame is not masked.") }
        guard !opcode.isControl || second & 0x7F <= 125 else { throw Self.fault("A control frame holds at most 125 bytes.") }
        guard let length = try length(second & 0x7F, of: bytes) else { return nil }
        guard length.value <= limit else { throw WebSocketClose(.messageTooBig, "A frame may hold at most \(SizeText.limit(limit)).") }
        let maskIndex = bytes.readerIndex + 2 + length.width
        guard let mask = bytes.getInteger(at: maskIndex, endianness: .little, as: UInt32.self) else { return nil }
        bytes.moveReaderIndex(to: maskIndex + 4)
        self.mask = mask
        missing = Int(length.value)
        return Header(isFinal: isFinal, opcode: opcode, byteCount: missing)
    }

    /// Appends the available bytes of the current frame's payload, unmasked.
    /// - Returns: the number of bytes appended.
    mutating func payload(from bytes: inout ByteBuffer, into target: inout ByteBuffer) -> Int {
        let count = min(missing, bytes.readableBytes)
        guard count > 0 else { return 0 }
        bytes.readWithUnsafeReadableBytes { source in
            target.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { target in
                unmask(UnsafeRawBufferPointer(rebasing: source[..<count]), into: target)
                return count
            }
            return count
        }
        advance(count)
        return count
    }

    /// Drops the available bytes of the current frame's payload.
    mutating func skipPayload(of bytes: inout ByteBuffer) {
        let count = min(missing, bytes.readableBytes)
        bytes.moveReaderIndex(forwardBy: count)
        advance(count)
    }

    private mutating func advance(_ count: Int) {
        missing -= count
        // Rotate the mask, so that the next byte of payload uses the right byte of the mask.
        let bits = UInt32(count % 4) * 8
        if bits > 0 { mask = mask >> bits | mask << (32 - bits) }
    }

    private func unmask(_ source: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer) {
        let wide = (UInt64(mask) << 32 | UInt64(mask)).littleEndian
        var index = 0
        while index + 8 <= source.count {
            target.storeBytes(of: source.loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ wide, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < source.count {
            target[index] = source[index] ^ UInt8(truncatingIfNeeded: mask >> (UInt32(index % 4) * 8))
            index += 1
        }
    }

    /// - Parameter short: the 7-bit length of the header.
    /// - Returns: the length, and how many further bytes of the header encode it.
    private func length(_ short: UInt8, of bytes: ByteBuffer) throws(WebSocketClose) -> (value: UInt64, width: Int)? {
        let index = bytes.readerIndex + 2
        switch short {
        case 126:
            guard let value = bytes.getInteger(at: index, as: UInt16.self) else { return nil }
            guard value > 125 else { throw Self.notMinimal }
            return (UInt64(value), 2)
        case 127:
            guard let value = bytes.getInteger(at: index, as: UInt64.self) else { return nil }
            guard value > UInt16.max else { throw Self.notMinimal }
            guard value >> 63 == 0 else { throw Self.fault("A length's first bit is set.") }
            return (value, 8)
        default: return (UInt64(short), 0)
        }
    }

    private static let notMinimal = fault("A length is written in more bytes than it needs.")

    static func fault(_ words: String) -> WebSocketClose { WebSocketClose(.protocolError, words) }
}
