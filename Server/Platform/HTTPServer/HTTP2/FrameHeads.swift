import NIOCore

/// Follows the bytes that a client sends over HTTP/2 by the heads of their frames (RFC 9113 §4.1), to count the frames that open streams.
struct FrameHeads {
    private static let (headers, continuation): (UInt8, UInt8) = (1, 9)
    private static let headByteCount = 9

    /// Bytes until the next head: at first of the connection's preface, then of a frame's payload.
    private var skipCount = 24
    private var isInFrame = false
    private var opensStream = false
    /// The head so far.
    private var headCount = 0
    private var length = 0
    private var type: UInt8 = 0
    private var stream: UInt32 = 0
    private var lastStream: UInt32 = 0

    /// - Returns: how many frames end in `bytes` that open a stream, or that may complete one that does (CONTINUATION).
    mutating func streamCount(in bytes: ByteBuffer) -> Int {
        bytes.withUnsafeReadableBytes { bytes in
            var (index, count) = (0, 0)
            while index < bytes.count {
                if skipCount > 0 {
                    let skipped = min(skipCount, bytes.count - index)
                    skipCount -= skipped
                    index += skipped
                } else {
                    add(bytes[index])
                    index += 1
                }
                guard isInFrame, skipCount == 0 else { continue }
                isInFrame = false
                if opensStream { count += 1 }
            }
            return count
        }
    }

    private mutating func add(_ byte: UInt8) {
        switch headCount {
        case 0..<3: length = length << 8 | Int(byte)
        case 3: type = byte
        case 4: break
        // The first bit of the number is reserved.
        default: stream = (stream << 8 | UInt32(byte)) & 0x7FFF_FFFF
        }
        headCount += 1
        guard headCount == Self.headByteCount else { return }
        // A HEADERS frame of an older stream brings trailers.
        let isNew = type == Self.headers && stream > lastStream
        if isNew { lastStream = stream }
        opensStream = isNew || type == Self.continuation
        isInFrame = true
        skipCount = length
        (headCount, length, stream) = (0, 0, 0)
    }
}
