import NIOCore

/// Joins the small pieces of a body, so that what one read of the socket brought costs what its bytes cost and not what its chunks or
/// frames would: each piece that goes on to the handler passes queues, a task and the parser of the body.
struct JoinedPieces {
    /// Pieces from this size on go on as they are, without a copy.
    static let largeByteCount = 2_048
    private static let joinedByteCount = 16_384

    private var joined = ByteBuffer()

    /// Takes a piece in.
    /// - Returns: what need not wait for more, in its order. Handing it on may bring the next piece, so it is not done in here.
    mutating func add(_ bytes: ByteBuffer) -> (first: ByteBuffer?, second: ByteBuffer?) {
        if bytes.readableBytes >= Self.largeByteCount { return (take(), bytes) }
        joined.writeImmutableBuffer(bytes)
        return (joined.readableBytes >= Self.joinedByteCount ? take() : nil, nil)
    }

    /// What is left. Call before whatever follows the body's bytes, and at the end of each read.
    mutating func take() -> ByteBuffer? {
        guard joined.readableBytes > 0 else { return nil }
        defer { joined = ByteBuffer() }
        return joined
    }
}
