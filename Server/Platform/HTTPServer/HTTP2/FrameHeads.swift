import NIOCore

/// Counts the frames in the bytes that a client sends over HTTP/2. It parses only the head of each frame (RFC 9113 §4.1).
struct FrameHeads {
    /// Numbers of frames. DATA frames of 512 bytes or more are not counted.
    struct Count: Equatable {
        /// Frames that open a stream, and CONTINUATION frames, which may complete a frame that opens one.
        var opening = 0
        /// All other frames, including DATA frames of fewer than 512 bytes.
        var others = 0
        /// The frames among `others` whose number NIO does not limit, for example WINDOW_UPDATE, GOAWAY, trailers, and frames of unknown
        /// types. NIO closes a connection that sends too many SETTINGS, PING, PRIORITY or RST_STREAM frames.
        var unlimited = 0
    }

    /// RFC 9113 §6, numbered from 0.
    private enum FrameType: UInt8 {
        case data, headers, priority, reset, settings, pushPromise, ping, goAway, windowUpdate, continuation
    }

    private enum Kind { case opening, data, limited, unlimited }

    private static let headByteCount = 9
    /// A DATA frame with fewer bytes than this counts as small. The DATA frames of uploads have thousands of bytes. With 64 instead of 512,
    /// one read of 16 KB could bring 220 frames that do not count.
    private static let smallDataByteCount = 512

    /// Bytes to skip until the next head: at first the connection's preface, then the payload of a frame.
    private var skipCount = 24
    private var isInFrame = false
    private var kind = Kind.data
    /// How many bytes of the current head have arrived.
    private var headCount = 0
    private var length = 0
    /// The length of the current frame's payload.
    private var payloadByteCount = 0
    private var type: UInt8 = 0
    private var stream: UInt32 = 0
    private var lastStream: UInt32 = 0

    /// - Returns: the frames that end in `bytes`.
    mutating func count(in bytes: ByteBuffer) -> Count {
        bytes.withUnsafeReadableBytes { bytes in
            var index = 0
            var count = Count()
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
                switch kind {
                case .opening: count.opening += 1
                case .data: break
                case .limited: count.others += 1
                case .unlimited:
                    count.others += 1
                    count.unlimited += 1
                }
            }
            return count
        }
    }

    /// The bytes that have arrived of a frame whose rest has not. 0 in a long DATA frame, whose pieces NIO passes on as they come, and in a
    /// frame that is too long, which NIO refuses.
    var begunByteCount: Int {
        if headCount > 0 { return headCount }
        guard isInFrame, kind != .data, payloadByteCount <= Self.mostPayloadByteCount else { return 0 }
        return Self.headByteCount + payloadByteCount - skipCount
    }

    /// The longest payload that the server accepts (SETTINGS_MAX_FRAME_SIZE, RFC 9113 §6.5.2).
    private static let mostPayloadByteCount = 16_384

    private mutating func add(_ byte: UInt8) {
        switch headCount {
        case 0..<3: length = length << 8 | Int(byte)
        case 3: type = byte
        case 4: break
        // The first bit of the stream's number is reserved.
        default: stream = (stream << 8 | UInt32(byte)) & 0x7FFF_FFFF
        }
        headCount += 1
        guard headCount == Self.headByteCount else { return }
        switch FrameType(rawValue: type) {
        case .headers? where stream > lastStream:
            lastStream = stream
            kind = .opening
        case .continuation?: kind = .opening
        // A small DATA frame costs NIO as much as any other frame, even on a stream that the server has reset.
        case .data? where length < Self.smallDataByteCount: kind = .limited
        case .data?: kind = .data
        case .priority?, .reset?, .settings?, .ping?: kind = .limited
        // A HEADERS frame of a stream that is open already contains trailers.
        case .headers?, .pushPromise?, .goAway?, .windowUpdate?, nil: kind = .unlimited
        }
        isInFrame = true
        (skipCount, payloadByteCount) = (length, length)
        (headCount, length, stream) = (0, 0, 0)
    }
}
