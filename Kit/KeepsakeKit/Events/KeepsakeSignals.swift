#if canImport(Network)
    import Foundation
    import Network
#endif

/// Signals after which the library reconnects at once instead of waiting. Tests can pass signals of their own.
public struct KeepsakeSignals: Sendable {
    /// Makes a new stream for each connection. An element means that the app has come to the foreground or the network has changed. The
    /// library ends the stream with the connection.
    public let wakes: @Sendable () -> AsyncStream<Void>

    public init(wakes: @escaping @Sendable () -> AsyncStream<Void>) { self.wakes = wakes }

    /// No signals: the library reconnects only after pauses, which become longer with each failure.
    public static let none = KeepsakeSignals { AsyncStream { $0.finish() } }

    #if canImport(Network)
        /// Signals when the app comes to the foreground or the network's path changes. This code has never run: the project's tests run on
        /// Linux.
        public static let system = KeepsakeSignals {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let monitor = NWPathMonitor()
                let lastPath = LastNetworkPath()
                monitor.pathUpdateHandler = { path in
                    let isUsable = path.status == .satisfied
                    let differs = lastPath.differs(isUsable ? path.availableInterfaces.map(\.name) : [])
                    if isUsable, differs { continuation.yield() }
                }
                monitor.start(queue: DispatchQueue(label: "keepsake.network"))
                // The notification is given by its name, because UIKit is not available on macOS and in some extensions.
                let observer = ForegroundObserver(
                    NotificationCenter.default.addObserver(
                        forName: Notification.Name("UIApplicationWillEnterForegroundNotification"), object: nil, queue: nil
                    ) { _ in continuation.yield() })
                continuation.onTermination = { _ in
                    monitor.cancel()
                    observer.end()
                }
            }
        }
    #else
        /// Linux has no such signals.
        public static let system = none
    #endif
}

#if canImport(Network)
    /// `@unchecked Sendable`: the token is immutable, and is only passed back to the notification center.
    private final class ForegroundObserver: @unchecked Sendable {
        private let token: any NSObjectProtocol
        init(_ token: any NSObjectProtocol) { self.token = token }
        func end() { NotificationCenter.default.removeObserver(token) }
    }

    /// Stores the interfaces of the last path; an unusable path counts as none. The first path is the state at the start and not a change.
    ///
    /// `@unchecked Sendable`: `lock` guards the variable.
    private final class LastNetworkPath: @unchecked Sendable {
        private let lock = NSLock()
        private var last: [String]?

        func differs(_ interfaces: [String]) -> Bool {
            lock.withLock {
                defer { last = interfaces }
                return last != nil && last != interfaces
            }
        }
    }
#endif
