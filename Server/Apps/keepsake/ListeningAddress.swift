import Synchronization

/// The address that the server listens on. Its port is known only once the server listens, because port 0 picks a free one.
final class ListeningAddress: Sendable {
    private let scheme: String
    private let host: String
    private let port: Mutex<Int>

    init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host.contains(":") ? "[\(host)]" : host
        self.port = Mutex(port)
    }

    func set(port new: Int) { port.withLock { $0 = new } }
    var boundPort: Int { port.withLock { $0 } }
    var url: String { "\(scheme)://\(host):\(boundPort)" }
}
