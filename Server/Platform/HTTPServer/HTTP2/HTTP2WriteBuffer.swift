import Core
import NIOCore

/// Limits the bytes of responses that an HTTP/2 connection buffers for a client that does not read them. Bytes that a stream has passed on
/// to its connection stay there even after the client has reset the stream, and no other budget counts them then.
final class HTTP2WriteBuffer {
    private let channel: any Channel
    private let limits: ChannelLimits
    private let entry: ConnectionLedger.Entry
    /// The share of a large buffer; `nil` while the buffer is small.
    private var share: SharedBudget.Share?

    init(of channel: any Channel, _ limits: ChannelLimits, _ entry: ConnectionLedger.Entry) throws {
        self.channel = channel
        self.limits = limits
        self.entry = entry
        try limit(to: limits.writeBufferByteCount)
    }

    /// Call this on the event loop when the buffer is full. The buffer becomes large if the budget has room for it.
    func grow() {
        guard share == nil, let new = entry.largeWriteBuffer(limits.largeWriteBufferByteCount) else { return }
        share = new
        try? limit(to: limits.largeWriteBufferByteCount)
    }

    /// Call this on the event loop when the connection has no streams. The buffer becomes small again, unless it holds more.
    func shrink() {
        guard let share, let held = try? channel.syncOptions?.getOption(.bufferedWritableBytes), held <= limits.writeBufferByteCount
        else { return }
        try? limit(to: limits.writeBufferByteCount)
        share.release()
        self.share = nil
    }

    private func limit(to byteCount: Int) throws {
        try channel.syncOptions?.setOption(.writeBufferWaterMark, value: .init(low: byteCount / 2, high: byteCount))
    }
}
