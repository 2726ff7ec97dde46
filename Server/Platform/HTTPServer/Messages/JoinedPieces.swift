import NIOCore

/// Joins small pieces of a body. Each piece costs a passage through queues, a task and the body's parser. With joined pieces the cost
/// depends on the bytes of a read and not on the number of its chunks or frames. A piece that waits keeps at most twice its bytes in memory.
struct JoinedPieces {
    /// Pieces of at least this size are not joined.
    static let largeByteCount = 2_048
    private static let joinedByteCount = 16_384

    private var joined = ByteBuffer()

    /// Adds a piece.
    /// - Returns: the pieces to pass on now, in order. The caller passes them on after this call, because passing one on may bring the next
    ///   piece.
    mutating func add(_ bytes: ByteBuffer) -> (first: ByteBuffer?, second: ByteBuffer?) {
        if bytes.readableBytes >= Self.largeByteCount { return (take(), bytes.withoutUnusedMemory()) }
        joined.writeImmutableBuffer(bytes)
        return (joined.readableBytes >= Self.joinedByteCount ? take() : nil, nil)
    }

    /// Removes and returns the joined bytes; `nil` when there are none. Call it before passing on anything but body bytes, and after each
    /// read.
    mutating func take() -> ByteBuffer? {
        guard joined.readableBytes > 0 else { return nil }
        defer { joined = ByteBuffer() }
        return joined
    }
}

extension ByteBuffer {
    /// The same bytes, copied if they keep a buffer in memory that is at least twice as large. A read can bring few bytes in a large buffer,
    /// above all over TLS, where the buffers of decrypted bytes grow and do not become smaller.
    func withoutUnusedMemory() -> ByteBuffer {
        storageCapacity >= 2 * max(readableBytes, ReadSizes.keptByteCount) ? ByteBuffer(bytes: readableBytesView) : self
    }
}
