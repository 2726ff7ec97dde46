import Synchronization
import Web

/// The number of requests in progress. The server is made after the loops that read it.
final class RequestCount: Sendable {
    private let server = Mutex<WebServer?>(nil)

    func count(on new: WebServer) { server.withLock { $0 = new } }
    var current: Int { server.withLock { $0 }?.requestCount ?? 0 }
}
