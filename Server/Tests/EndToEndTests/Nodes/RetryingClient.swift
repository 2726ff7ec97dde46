import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import TestKit

/// A client that retries as docs/operations.md says under "Retries and rate limits": after a lost connection, a timeout, 408, 409 with
/// `Retry-After`, 429 and 5xx except 500 and 501, with the same `Idempotency-Key`, until it has a final response.
final class RetryingClient: Sendable {
    struct Answer: Sendable {
        let status: Int
        let body: Data
        /// How often the request was sent until this answer.
        let tries: Int

        func json() -> [String: Any] { (try? JSONSerialization.jsonObject(with: body) as? [String: Any]) ?? [:] }
        var text: String { String(decoding: body.prefix(300), as: UTF8.self) }
    }

    struct GaveUp: Error, CustomStringConvertible {
        let description: String
    }

    let url: String
    /// How long one request may take.
    private let timeout: TimeAmount
    /// How long it retries. `nil` never retries.
    private let patience: Duration?
    private let retried = Mutex(0)

    init(url: String, timeout: Duration = .seconds(4), patience: Duration? = .seconds(90)) {
        self.url = url
        self.timeout = TimeAmount(timeout)
        self.patience = patience
    }

    /// The number of requests that were sent again.
    var retries: Int { retried.withLock { $0 } }

    /// - Parameters:
    ///   - path: relative to `url`, or absolute.
    ///   - key: the `Idempotency-Key`, the same for all retries.
    ///   - timeout: the timeout of each try; default: the client's.
    func send(
        _ method: String, _ path: String, as token: String? = nil, key: String? = nil, type: String? = nil, body: Data? = nil,
        timeout: Duration? = nil
    ) async throws -> Answer {
        let timeout = timeout.map { TimeAmount($0) } ?? self.timeout
        var request = HTTPClientRequest(url: path.hasPrefix("http") ? path : url + path)
        request.method = HTTPMethod(rawValue: method)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let key { request.headers.add(name: "Idempotency-Key", value: key) }
        if let type { request.headers.add(name: "Content-Type", value: type) }
        if let body { request.body = .bytes(ByteBuffer(bytes: body)) }
        let end = ContinuousClock.now + (patience ?? .zero)
        var tries = 0
        while true {
            tries += 1
            var reason: String
            do {
                let response = try await campaignClient.execute(request, timeout: timeout)
                let bytes = try await response.body.collect(upTo: 64 * 1_048_576)
                let status = Int(response.status.code)
                let answer = Answer(status: status, body: Data(bytes.readableBytesView), tries: tries)
                guard Self.isTemporary(status, response.headers) else { return answer }
                reason = "\(status) \(answer.text)"
            } catch let error where !(error is CancellationError) {
                reason = "\(error)"
            }
            guard patience != nil, ContinuousClock.now < end else {
                throw GaveUp(description: "\(method) \(path.prefix(80)), try \(tries): \(reason.prefix(300))")
            }
            retried.withLock { $0 += 1 }
            try await Task.sleep(for: .milliseconds(Int.random(in: 50...(tries < 5 ? 250 : 600))))
        }
    }

    private static func isTemporary(_ status: Int, _ headers: HTTPHeaders) -> Bool {
        switch status {
        case 408, 429, 502, 503, 504: true
        case 409: headers.contains(name: "Retry-After")
        default: false
        }
    }
}
