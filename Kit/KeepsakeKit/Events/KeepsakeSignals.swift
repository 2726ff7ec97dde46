#if canImport(Network)
    import Foundation
    import Network
#endif

/// What tells the library that a lost connection is worth trying again at once, as a value that tests replace.
public struct KeepsakeSignals: Sendable {
    /// A new stream for each connection; an element means that the app has come to the foreground or the network has changed. The library
    /// ends the stream with the connection.
    public let wakes: @Sendable () -> AsyncStream<Void>

    public init(wakes: @escaping @Sendable () -> AsyncStream<Void>) { self.wakes = wakes }

    /// No signals: connections are tried again after growing waits.
    public static let none = KeepsakeSignals { AsyncStream { $0.finish() } }

    #if canImport(Network)
        /// The app's return to the foreground, and changes of the network's path. Has never run: this project's tests run on Linux.
        public static let system = KeepsakeSignals {
            AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
                let monitor = NWPathMonitor()
                let lastPath = PathMemory()
                monitor.pathUpdateHandler = { path in
                    let isUsable = path.status == .satisfied
                    let differs = lastPath.differs(isUsable ? path.availableInterfaces.map(\.name) : [])
                    if isUsable, differs { continuation.yield() }
                }
                monitor.start(queue: DispatchQueue(label: "keepsake.network"))
                // By name, because UIKit is not to be had on macOS and in every extension.
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
    /// `@unchecked Sendable`: the token is only handed back to the notification center.
    private final class ForegroundObserver: @unchecked Sendable {
        private let token: any NSObjectProtocol
        init(_ token: any NSObjectProtocol) { self.token = token }
        func end() { NotificationCenter.default.removeObserver(token) }
    }

    /// The interfaces of the last path, none when it was not usable. The first report is the state at the start, not a change.
    ///
    /// `@unchecked Sendable`: `lock` guards the variable.
    private final class PathMemory: @unchecked Sendable {
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
