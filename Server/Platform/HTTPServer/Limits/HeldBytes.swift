import NIOCore

/// Bytes that `HandshakeGate` or `HTTP2Gate` holds back until the connection's turn comes (`StreamTurns`). Meanwhile the gate does not read
/// from the connection either.
struct HeldBytes {
    private let mostByteCount: Int
    /// `nil` if the gate holds nothing back.
    private var bytes: ByteBuffer?
    private var isReadWanted = false

    /// - Parameter mostByteCount: maximum number of held bytes; must be more than one read brings. While the gate holds bytes, it does not
    ///   read, but when a client ends the connection, NIO reads everything that is left. If that exceeds the limit, the gate closes the
    ///   connection.
    init(mostByteCount: Int) { self.mostByteCount = mostByteCount }

    var isEmpty: Bool { bytes == nil }

    /// Holds `new` back, after the bytes that are held already.
    /// - Returns: false if that would exceed the limit. Then nothing is held, and the gate must close the connection.
    mutating func add(_ new: ByteBuffer) -> Bool {
        var new = new
        // Copy the bytes, because the buffer of a read may be much larger than they are.
        var all = bytes ?? ByteBuffer()
        bytes = nil
        guard all.readableBytes + new.readableBytes <= mostByteCount else { return false }
        all.writeBuffer(&new)
        bytes = all
        return true
    }

    /// Returns what is held, and holds nothing any more.
    mutating func take() -> ByteBuffer? {
        defer { bytes = nil }
        return bytes
    }

    /// Call this when the pipeline asks for a read.
    /// - Returns: whether to read now. If not, `takeRead` returns true once.
    mutating func mayRead() -> Bool {
        if bytes != nil { isReadWanted = true }
        return bytes == nil
    }

    /// - Returns: whether a read was held back, which the gate must perform now.
    mutating func takeRead() -> Bool {
        defer { isReadWanted = false }
        return isReadWanted
    }
}
