package import NIOCore
import Synchronization

/// An HTTP/1.1 connection whose client asks for another protocol. The route's handler decides, after authentication and the route's other
/// checks. To take the connection over, it calls `takeOver` and responds 101 with the fields that the protocol requires. With any other
/// response the connection continues with HTTP.
package final class ChannelUpgrade: Sendable {
    /// Puts the protocol's handlers into the channel, calls `start` on the event loop, and serves until the connection may close.
    typealias Takeover = @Sendable (any Channel, _ start: @escaping @Sendable () -> Void) async throws -> Void

    @TaskLocal package static var current: ChannelUpgrade?

    private let takeover = Mutex<Takeover?>(nil)

    init() {}

    /// Sets what happens after the 101 response has been written. A later call replaces an earlier one.
    /// - Parameters:
    ///   - configure: runs on the event loop; adds the protocol's handlers to the channel. Once it returns, these handlers receive the
    ///     bytes that followed the request, so nothing is lost. HTTP's handlers get no further bytes.
    ///   - serve: gets the value that `configure` returned; when it ends, the connection closes. When the server stops, the channel first
    ///     gets a `ChannelShouldQuiesceEvent`; later this task is cancelled.
    package func takeOver<Value: Sendable>(
        configure: @escaping @Sendable (any Channel) throws -> Value, serve: @escaping @Sendable (Value) async throws -> Void
    ) {
        takeover.withLock {
            $0 = { channel, start in
                let value = try await channel.eventLoop.submit {
                    let value = try configure(channel)
                    start()
                    return value
                }.get()
                try await serve(value)
            }
        }
    }

    /// The handler's takeover, which the first call removes; `nil` on further calls.
    func take() -> Takeover? {
        takeover.withLock { takeover in
            defer { takeover = nil }
            return takeover
        }
    }
}
