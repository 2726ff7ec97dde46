package enum LiveError: Error, Sendable, Equatable {
    /// This node is shutting down. A client that reconnects to any node with its last number misses no event.
    case shuttingDown
    /// The payload exceeds 65,536 bytes of JSON. It is thrown inside the write's closure, so the write is rolled back.
    case payloadTooLarge(byteCount: Int)
}
