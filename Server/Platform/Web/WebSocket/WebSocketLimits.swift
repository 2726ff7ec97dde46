/// What one socket may take, and how long it may be silent. A route brings its own.
package struct WebSocketLimits: Sendable {
    /// A frame's payload, in bytes, 125…; a larger one is 1009 before any of it is read.
    package var frameByteCount = 256 * 1024
    /// A message, however many frames it comes in, in bytes.
    package var messageByteCount = 1_048_576
    /// Whether the peer may send messages at all; one to a socket that only speaks is 1003.
    package var takesMessages = true
    /// Written and not yet taken by the kernel, in bytes. One message may be larger when nothing else waits.
    package var sendByteCount = 1_048_576
    /// Messages written and not yet taken by the kernel.
    package var sendMessageCount = 1_024
    /// How long a message waits for room among them; then the reader counts as too slow, and is dropped with 1013.
    package var sendWait: Duration = .seconds(20)
    /// Between two pings of ours.
    package var pingEvery: Duration = .seconds(25)
    /// How long after a ping something must be heard; then the peer counts as gone.
    package var pongWithin: Duration = .seconds(20)
    /// How long the peer's side of a close is waited for, and how long what it still sends is read past.
    package var closeWithin: Duration = .seconds(5)

    package init() {}
}
