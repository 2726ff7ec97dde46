/// Limits how many frames a client may send on an HTTP/2 connection that belong to no request or body and that NIO does not limit, such as
/// WINDOW_UPDATE (`FrameHeads.Count.unlimited`). Such a frame is small, but costs the server as much work as a small piece of a request.
///
/// What a client sends depends on what it has received. A client that acknowledges as often as possible sends two WINDOW_UPDATE frames for
/// each DATA frame: one for the stream and one for the connection. Go's client sends two for each 4 KB. A client may also send trailers on
/// a stream, changes of its priority (PRIORITY_UPDATE, RFC 9218), and frames of unknown types, which some browsers send to test that
/// servers ignore them (RFC 9113 §5.5). The limits below are multiples of these numbers. They do not depend on time, because a client may
/// receive bytes over hours and then acknowledge all of them within a moment.
struct FrameAllowance {
    /// Frames that every connection may send from its start.
    static let freeCount = 1_000
    /// Further frames for each stream that the client opens.
    static let countPerStream = 16
    /// Further frames for each write to the connection. NIO writes the head and the payload of a DATA frame separately, so a DATA frame
    /// counts as two writes.
    static let countPerWrite = 2
    /// For every this many bytes of a write, the client may send one further frame.
    static let byteCountPerFrame = 512

    private var left = FrameAllowance.freeCount

    /// Lets the client send further frames, because the server has written `byteCount` bytes to the connection.
    mutating func sent(_ byteCount: Int) { left += Self.countPerWrite + byteCount / Self.byteCountPerFrame }

    /// - Returns: `false` when the client has sent too many frames.
    mutating func take(_ frames: FrameHeads.Count) -> Bool {
        left += Self.countPerStream * frames.opening - frames.unlimited
        return left >= 0
    }
}
