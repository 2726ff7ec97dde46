/// Limits how many frames of an HTTP/2 connection are neither requests nor bodies and have no limit in NIO, such as WINDOW_UPDATE
/// (`FrameHeads.Count.unlimited`). Each is small, but costs the server as much work as a small piece of a request.
///
/// What a client sends depends on what it has received. A client that acknowledges as often as possible sends two WINDOW_UPDATE frames for
/// each DATA frame: for its stream and for the connection. Go's client sends two for each 4 KB. A stream may bring trailers, changes of its
/// priority (PRIORITY_UPDATE, RFC 9218), and frames of unknown types, which some browsers send to test that servers ignore them (RFC 9113
/// §5.5). All limits are a multiple of these numbers. They do not depend on time, because a client may acknowledge at once what it received
/// hours ago.
struct FrameAllowance {
    /// Frames that every connection may send.
    static let freeCount = 1_000
    /// Frames for each stream that the client opens.
    static let countPerStream = 16
    /// Frames for each write to the connection. NIO writes the head and the payload of a DATA frame separately, so they count twice.
    static let countPerWrite = 2
    /// For each write, one more frame for this many bytes.
    static let byteCountPerFrame = 512

    private var left = FrameAllowance.freeCount

    /// The server writes bytes to the connection.
    mutating func sent(_ byteCount: Int) { left += Self.countPerWrite + byteCount / Self.byteCountPerFrame }

    /// - Returns: `false` when the client has sent too many frames.
    mutating func take(_ frames: FrameHeads.Count) -> Bool {
        left += Self.countPerStream * frames.opening - frames.unlimited
        return left >= 0
    }
}
