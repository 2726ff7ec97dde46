import Foundation
import HTTPTypes
import KeepsakeKit
import Synchronization

/// A transport that also counts requests by path. It sends them over another one, by default URLSession's.
final class CountingTransport: Transport {
    private let real: any Transport
    private let counts = Mutex<[String: Int]>([:])

    init(_ real: any Transport = URLSessionTransport()) { self.real = real }

    func count(of path: String) -> Int { counts.withLock { $0[path] ?? 0 } }

    func send(
        _ request: HTTPRequest, body: RequestBody, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse {
        counts.withLock { $0[request.path ?? "", default: 0] += 1 }
        return try await real.send(request, body: body, timeout: timeout, progress: progress)
    }

    func download(
        _ request: HTTPRequest, to file: URL, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse { try await real.download(request, to: file, timeout: timeout, progress: progress) }

    func connect(_ request: HTTPRequest, timeout: Duration) async throws -> TransportConnection {
        counts.withLock { $0[request.path.map { String($0.prefix { $0 != "?" }) } ?? "", default: 0] += 1 }
        return try await real.connect(request, timeout: timeout)
    }

    func stream(_ request: HTTPRequest, body: RequestBody, timeout: Duration) async throws -> TransportStream {
        counts.withLock { $0[request.path ?? "", default: 0] += 1 }
        return try await real.stream(request, body: body, timeout: timeout)
    }
}

/// The program's main type is also called `Keepsake`, and some tests import both modules.
typealias KeepsakeClient = Keepsake
