import NIOCore

extension Channel {
    /// Keeps a value that holds the channel's `NIOAsyncChannel` in memory until the channel has closed.
    ///
    /// NIO ends the process when the last reference to the `NIOAsyncChannel` of an open channel is released before `executeThenClose` was
    /// called. That would happen while the server stops, if a client begins a connection or a stream after the task that should serve it
    /// has been cancelled.
    func keepUntilClosed(_ value: some Sendable) {
        closeFuture.whenComplete { _ in withExtendedLifetime(value) {} }
    }
}
