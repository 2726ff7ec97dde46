package import NIOCore
import Synchronization

/// A connection of HTTP/1.1 that its client wants to use for another protocol. The handler of the route decides, after
/// authentication and all else that a route does: to take the connection over it calls `takeOver` and answers 101 with the fields the
/// protocol wants; any other answer is an ordinary one, and the connection goes on with HTTP.
package final class ChannelUpgrade: Sendable {
    /// Puts the protocol's handlers into the channel, calls `start` on the event loop, and serves until the connection may close.
    typealias Takeover = @Sendable (any Channel, _ start: @escaping @Sendable () -> Void) async throws -> Void

    @TaskLocal package static var current: ChannelUpgrade?

    private let takeover = Mutex<Takeover?>(nil)

    init() {}

    /// Names what is to happen once the answer 101 has been written. The last call counts.
    /// - Parameters:
    ///   - configure: runs on the event loop; adds handlers for bytes to the channel. What came behind the request reaches them
    ///     right after it, so nothing is lost. HTTP's handlers see nothing any more.
    ///   - serve: gets what `configure` returned; when it ends, the connection closes. It is cancelled when the server has to stop.
    ///     Before that the channel gets a `ChannelShouldQuiesceEvent`.
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

    /// What the handler named, once.
    func take() -> Takeover? {
        takeover.withLock { takeover in
            defer { takeover = nil }
            return takeover
        }
    }
}
