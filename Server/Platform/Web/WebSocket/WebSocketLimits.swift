/// Limits and timeouts of one socket. Each route sets its own.
package struct WebSocketLimits: Sendable {
    /// The most bytes of a frame's payload, 125 or more. A larger frame closes the socket with 1009 before its payload is read.
    package var frameByteCount = 256 * 1024
    /// The most bytes of a message in all of its frames.
    package var messageByteCount = 1_048_576
    /// Whether the client may send messages. If not, a message closes the socket with 1003.
    package var takesMessages = true
    /// Maximum bytes of the messages that were passed to `send` and that the kernel has not taken yet. One message may be larger when
    /// nothing else waits.
    package var sendByteCount = 1_048_576
    /// Maximum number of messages that were passed to `send` and that the kernel has not taken yet.
    package var sendMessageCount = 1_024
    /// How long a message waits to enter the send queue. After this time the client counts as too slow, and the socket is closed with 1013.
    package var sendWait: Duration = .seconds(20)
    /// Maximum number of pings and pongs from the client in a second, which may also come all at once. Beyond that the socket is closed
    /// with 1008. Clients send a pong for each ping of the server. Browsers send no pings, and libraries one in several seconds.
    package var pingsPerSecond = 50
    /// Time between two pings of the server.
    package var pingEvery: Duration = .seconds(25)
    /// How long after a ping any bytes must arrive. Otherwise the client counts as gone.
    package var pongWithin: Duration = .seconds(20)
    /// How long to wait for the peer's Close. After both sides have sent Close, the server reads and drops further bytes for this time, but
    /// at most 2 s.
    package var closeWithin: Duration = .seconds(5)

    package init() {}
}
