import Synchronization
import Web

/// The number of requests in progress. It is a separate object, because the services that read the number are made before the server.
final class RequestCount: Sendable {
    private let server = Mutex<WebServer?>(nil)

    func count(on new: WebServer) { server.withLock { $0 = new } }
    var current: Int { server.withLock { $0 }?.requestCount ?? 0 }
}
