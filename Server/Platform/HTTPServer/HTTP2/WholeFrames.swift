import NIOCore

/// Keeps the beginning of a frame until the frame is complete.
///
/// NIO's parser appends a read to the reads before it, and frees their memory only when a read ends with a frame. A client whose reads
/// never do so would make the parser hold everything that the client has sent.
struct WholeFrames {
    private(set) var begun: ByteBuffer?

    /// - Parameters:
    ///   - bytes: what follows the bytes of the call before.
    ///   - begunByteCount: how many bytes at the end belong to a frame whose rest has not arrived (`FrameHeads.begunByteCount`).
    /// - Returns: the bytes before that frame, with those that were kept; `nil` if there are none.
    mutating func pass(_ bytes: ByteBuffer, begunByteCount: Int) -> ByteBuffer? {
        if let keptByteCount = begun?.readableBytes, begunByteCount >= keptByteCount + bytes.readableBytes {
            // The frame is still incomplete. Append the bytes in place: a client may send a frame byte by byte. The buffer grows with the
            // frame and doubles each time, so it is at most twice as large as its bytes.
            begun?.writeImmutableBuffer(bytes)
            return nil
        }
        var all = bytes
        if var kept = begun {
            begun = nil
            kept.writeImmutableBuffer(bytes)
            all = kept
        }
        guard begunByteCount > 0 else { return all }
        let passed = all.readSlice(length: max(0, all.readableBytes - begunByteCount))
        // Copy the bytes, because the buffer of a read may be much larger than they are.
        begun = ByteBuffer(bytes: all.readableBytesView)
        return passed.flatMap { $0.readableBytes > 0 ? $0 : nil }
    }
}
