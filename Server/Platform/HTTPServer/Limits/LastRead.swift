import NIOCore

/// The buffer of a connection's last large read, for the next large read. The next read gets it if the bytes have been taken by then,
/// which is usual while an upload is fast. Otherwise each read would get new memory, which the allocator returns to the system and requests
/// again all the time: eight uploads of 100 MB at once caused 40,000 page faults, and now half as many. Keeping the last four buffers
/// would leave 9,000, but they would count as a megabyte of each connection.
///
/// The buffer counts as the connection's share of the budget for large reads. Use a `LastRead` only on the event loop.
struct LastRead: Sendable {
    private let buffer: NIOLoopBoundBox<ByteBuffer?>

    init(_ eventLoop: any EventLoop) { buffer = NIOLoopBoundBox(nil, eventLoop: eventLoop) }

    func keep(_ bytes: ByteBuffer) { buffer.value = bytes }

    /// Frees the buffer.
    func drop() { buffer.value = nil }

    /// Removes and returns the buffer, without its bytes, if nobody else refers to it.
    /// - Parameter byteCount: the least capacity of the returned buffer.
    func take(capacity byteCount: Int) -> ByteBuffer? {
        guard var last = buffer.value else { return nil }
        // Only `last` refers to the bytes now, unless a handler still does.
        buffer.value = nil
        guard last.modifyIfUniquelyOwned({ $0.clear(minimumCapacity: byteCount) }) != nil else { return nil }
        return last
    }
}
