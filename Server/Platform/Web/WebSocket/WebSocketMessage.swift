package import NIOCore

/// A complete message (RFC 6455 §5.6), whatever its number of frames.
package enum WebSocketMessage: Sendable, Equatable {
    case text(String)
    case binary(ByteBuffer)
}
