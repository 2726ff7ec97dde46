package import NIOCore

/// A range of a blob on another machine, read piece by piece on one event loop. The machine sends only as fast as the pieces are taken: at
/// most two pieces have arrived and not been taken.
package protocol BlobStream: AnyObject, Sendable {
    /// Reads with requests of at most `byteCount` bytes, the next one when all bytes of the last have been taken: slower, but no more bytes
    /// are in memory. Call it before the first call of `next`.
    func limitRequests(to byteCount: Int)

    /// Call it on the event loop, and again only after the last call's future has completed.
    /// - Returns: a future with the next piece; with `nil` after the last byte of the range. It fails with a `BlobError`, and with
    ///   `CancellationError` after `end`.
    func next() -> EventLoopFuture<ByteBuffer?>

    /// Ends the request, even if not all bytes have arrived. Call it at least once, on any thread.
    func end()
}
