package enum LiveError: Error, Sendable, Equatable {
    /// This node is being stopped. Whoever waited comes back with its last number, to this node or to another, and misses nothing.
    case shuttingDown
    /// More than 65,536 bytes of JSON. Thrown in the write's closure, so nothing of the write is kept.
    case payloadTooLarge(byteCount: Int)
}
