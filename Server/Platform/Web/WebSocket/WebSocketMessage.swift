package import NIOCore

/// What one side says to the other, whole (RFC 6455 §5.6): however many frames it came in.
package enum WebSocketMessage: Sendable, Equatable {
    case text(String)
    case binary(ByteBuffer)
}
