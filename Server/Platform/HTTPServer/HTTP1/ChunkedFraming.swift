import Core

/// Finds the end of a chunked body (RFC 9112 §7.1) as its bytes arrive. It is strict: it refuses a body whose length another parser could
/// read differently. It does not decode the chunks.
struct ChunkedFraming: Equatable {
    private enum State: Equatable {
        /// Reading the size of a chunk.
        case size
        /// Reading the extension: what follows the size, up to the end of the line.
        case `extension`
        case sizeFeed
        case data
        case dataReturn
        case dataFeed
        /// At the start of a line after the last chunk: a trailer, or the empty line that ends the body.
        case trailer
        case trailerName
        case trailerValue
        case trailerFeed
        case lastFeed
        case done
    }

    private var state = State.size
    private var digitCount = 0
    /// Bytes of the current chunk that have not arrived yet.
    private var left = 0
    private var isLast = false
    private var chunkCount = 0
    /// Bytes of all chunks so far, including the current one.
    private var byteCount = 0
    /// Bytes of the current size line; in the trailers, bytes of all trailers.
    private var lineByteCount = 0

    /// A chunk's size has at most this many hexadecimal digits, which bounds it to 4 GB.
    private static let maximumDigitCount = 8
    /// After this many chunks, chunks must have `leastChunkByteCount` bytes on average: every chunk costs the same work, however small it
    /// is.
    private static let freeChunkCount = 1_000
    private static let leastChunkByteCount = 16
    private static let maximumExtensionByteCount = 256
    private static let maximumTrailerByteCount = 8 * 1_024

    var isDone: Bool { state == .done }

    /// Reads bytes of the body, up to its end.
    /// - Returns: how many of the bytes belong to the body; fewer than `bytes.count` only when `isDone`.
    /// - Throws: `Problem(.invalid)` when the framing violates RFC 9112 §7.1 or a limit above.
    mutating func consume(_ bytes: UnsafeRawBufferPointer) throws(Problem) -> Int {
        var index = 0
        while index < bytes.count, state != .done {
            if state == .data {
                let count = min(left, bytes.count - index)
                left -= count
                index += count
                if left == 0 { state = .dataReturn }
                continue
            }
            try take(bytes[index])
            index += 1
        }
        return index
    }

    private mutating func take(_ byte: UInt8) throws(Problem) {
        switch state {
        case .size:
            if let value = HeadByte.hexValue(byte), digitCount < Self.maximumDigitCount {
                digitCount += 1
                left = left * 16 + value
            } else if digitCount > 0, byte == 13 {
                state = .sizeFeed
            } else if digitCount > 0, byte == UInt8(ascii: ";") {
                state = .extension
                lineByteCount = 0
            } else {
                throw wrong
            }
        case .extension:
            lineByteCount += 1
            guard lineByteCount <= Self.maximumExtensionByteCount else { throw wrong }
            if byte == 13 { state = .sizeFeed } else { guard HeadByte.isText(byte) else { throw wrong } }
        case .sizeFeed:
            isLast = left == 0
            chunkCount += 1
            byteCount += left
            guard isLast || chunkCount <= Self.freeChunkCount || byteCount / chunkCount >= Self.leastChunkByteCount else {
                throw Problem(
                    .invalid, "The chunks of the body are too small: send \(Self.leastChunkByteCount) bytes or more in each, on average.")
            }
            try expect(byte, 10, isLast ? .trailer : .data)
            lineByteCount = 0
        case .dataReturn: try expect(byte, 13, .dataFeed)
        case .dataFeed:
            try expect(byte, 10, .size)
            digitCount = 0
            left = 0
        default: try takeTrailer(byte)
        }
    }

    private mutating func takeTrailer(_ byte: UInt8) throws(Problem) {
        lineByteCount += 1
        guard lineByteCount <= Self.maximumTrailerByteCount else { throw wrong }
        switch state {
        case .trailer:
            if byte == 13 {
                state = .lastFeed
            } else {
                guard HeadByte.isToken(byte) else { throw wrong }
                state = .trailerName
            }
        case .trailerName:
            if byte == UInt8(ascii: ":") { state = .trailerValue } else { guard HeadByte.isToken(byte) else { throw wrong } }
        case .trailerValue:
            if byte == 13 { state = .trailerFeed } else { guard HeadByte.isText(byte) else { throw wrong } }
        case .trailerFeed: try expect(byte, 10, .trailer)
        default: try expect(byte, 10, .done)
        }
    }

    private mutating func expect(_ byte: UInt8, _ expected: UInt8, _ next: State) throws(Problem) {
        guard byte == expected else { throw wrong }
        state = next
    }

    private var wrong: Problem { Problem(.invalid, "The chunked body violates RFC 9112 §7.1.") }
}
