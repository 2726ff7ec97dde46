import HTTPTypes
import NIOCore
import NIOHTTP1

/// A response with its whole body, triggered on the channel as an outbound event. Only `HTTP1Exchange` handles this event. It encodes head
/// and body into one buffer, because NIO's encoder takes three parts and copies the fields into a form of its own, which costs more than
/// copying the bytes.
struct WholeResponse: Sendable {
    // Status and fields are separate: an `HTTPResponse` keeps the status in an object, as the text of a field, and parses it at each use.
    let status: HTTPResponse.Status
    let fields: HTTPFields
    let body: ByteBuffer

    /// Whether the length of the body is known from the head, so that the encoder has no framing to choose.
    static func canEncode(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool {
        if status.code < 200 { return false }
        return fields.contains(.contentLength) || !hasBody(status)
    }

    /// Bodies of at most this size, in bytes, are copied behind the head. A longer body is written as a buffer of its own.
    private static let mostJoinedByteCount = 8 * 1_024

    /// The bytes to write, in order.
    /// - Parameters:
    ///   - isHead: whether the request's method is HEAD. The body is then left out, but the head still states its length.
    ///   - closes: whether to add `Connection: close`.
    func encoded(isHead: Bool, closes: Bool, _ allocator: ByteBufferAllocator) -> (first: ByteBuffer, second: ByteBuffer?) {
        let mayHaveBody = Self.hasBody(status)
        let hasBody = mayHaveBody && !isHead && body.readableBytes > 0
        let isJoined = hasBody && body.readableBytes <= Self.mostJoinedByteCount
        let reason = HTTPResponseStatus(statusCode: status.code, reasonPhrase: status.reasonPhrase).reasonPhrase
        var byteCount = 64 + reason.utf8.count + (isJoined ? body.readableBytes : 0)
        for field in fields { byteCount += field.name.rawName.utf8.count + field.value.utf8.count + 4 }
        var buffer = allocator.buffer(capacity: byteCount)
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: byteCount) { bytes in
            var writer = Writer(bytes)
            writer.write("HTTP/1.1 ")
            writer.write(status.code)
            writer.write(" ")
            writer.write(reason)
            writer.write("\r\n")
            for field in fields where !Self.isOmitted(field.name, mayHaveBody: mayHaveBody, closes) {
                writer.write(field.name.rawName)
                writer.write(": ")
                writer.write(field.value)
                writer.write("\r\n")
            }
            if closes { writer.write("Connection: close\r\n") }
            writer.write("\r\n")
            if isJoined { body.withUnsafeReadableBytes { writer.write($0) } }
            return writer.count
        }
        return (buffer, hasBody && !isJoined ? body : nil)
    }

    /// Whether the field would contradict the framing. NIO's encoder omits the same fields.
    private static func isOmitted(_ name: HTTPField.Name, mayHaveBody: Bool, _ closes: Bool) -> Bool {
        if name == .transferEncoding { return true }
        if name == .contentLength { return !mayHaveBody }
        return closes && name == .connection
    }

    /// Whether a response with this status may have a body (RFC 9112 §6.3).
    private static func hasBody(_ status: HTTPResponse.Status) -> Bool { status.code != 204 && status.code != 304 && status.code >= 200 }

    /// Writes text into memory. The caller makes sure that the memory is large enough.
    private struct Writer {
        private let bytes: UnsafeMutableRawBufferPointer
        private(set) var count = 0

        init(_ bytes: UnsafeMutableRawBufferPointer) { self.bytes = bytes }

        mutating func write(_ text: String) {
            var text = text
            text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
        }

        /// - Parameter status: 200...999.
        mutating func write(_ status: Int) {
            for divisor in [100, 10, 1] {
                bytes[count] = UInt8(ascii: "0") + UInt8(status / divisor % 10)
                count += 1
            }
        }

        mutating func write(_ more: UnsafeRawBufferPointer) {
            guard !more.isEmpty else { return }
            UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyMemory(from: more)
            count += more.count
        }
    }
}

/// A writer whose response has a head that is not written yet. A body that writes to the channel by itself must send the head first.
package protocol DelayedHead {
    func sendHead()
}
