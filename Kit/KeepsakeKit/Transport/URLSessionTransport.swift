public import Foundation
public import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests with one `URLSession`, which exists as long as this object and keeps connections open between requests.
///
/// It stores no cookies and caches nothing on the disk. If the server redirects to another server, it sends no credential there.
public final class URLSessionTransport: Transport {
    let session: URLSession
    private let exchanges: Exchanges

    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = 8
        exchanges = Exchanges()
        let queue = OperationQueue()
        // URLSession requires a serial queue.
        queue.maxConcurrentOperationCount = 1
        session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: queue)
    }

    deinit { session.finishTasksAndInvalidate() }

    public func send(
        _ request: HTTPRequest, body: RequestBody, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse {
        try await exchange(request, body, to: nil, timeout, progress)
    }

    public func download(
        _ request: HTTPRequest, to file: URL, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse {
        try await exchange(request, .none, to: file, timeout, progress)
    }

    public func stream(_ request: HTTPRequest, body: RequestBody, timeout: Duration) async throws -> TransportStream {
        try Task.checkCancellation(as: .cancelled)
        // Here, `timeoutInterval` limits the time between two bytes of the response.
        let task = task(try Self.urlRequest(request, timeout), body)
        let exchange = StreamedExchange(task)
        exchanges.add(exchange, for: task.taskIdentifier)
        do {
            let head = try await exchange.open()
            let reader = StreamedExchange.Reader(exchange)
            return TransportStream(head: head, body: AsyncThrowingStream(unfolding: { try await reader.next() }))
        } catch {
            exchanges.remove(task.taskIdentifier)
            throw error
        }
    }

    private func task(_ request: URLRequest, _ body: RequestBody) -> URLSessionDataTask {
        switch body {
        case .none: session.dataTask(with: request)
        case .data(let data): session.uploadTask(with: request, from: data)
        case .file(let url): session.uploadTask(with: request, fromFile: url)
        }
    }

    private func exchange(
        _ head: HTTPRequest, _ body: RequestBody, to file: URL?, _ timeout: Duration, _ progress: TransportProgress?
    ) async throws -> TransportResponse {
        try Task.checkCancellation(as: .cancelled)
        guard timeout > .zero else { throw KeepsakeError(.timeout, "The request took too long.") }
        let task = task(try Self.urlRequest(head, timeout), body)
        let exchange = Exchange(file: file, progress: progress)
        // `timeoutInterval` limits only the time between two bytes, so this timer limits the whole exchange.
        let timer = Task { [exchange] in
            try await Task.sleep(for: timeout)
            exchange.expire()
            task.cancel()
            exchange.complete(nil)
        }
        defer { timer.cancel() }
        exchanges.add(exchange, for: task.taskIdentifier)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if exchange.start(continuation) { task.resume() } else { exchanges.remove(task.taskIdentifier) }
            }
        } onCancel: {
            task.cancel()
            exchange.complete(CancellationError())
        }
    }

    static func urlRequest(_ head: HTTPRequest, _ timeout: Duration) throws -> URLRequest {
        let text = "\(head.scheme ?? "https")://\(head.authority ?? "")\(head.path ?? "/")"
        guard let url = URL(string: text) else { throw KeepsakeError(.invalidRequest, "The address is invalid.") }
        var request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: max(1, timeout.seconds))
        request.httpMethod = head.method.rawValue
        for field in head.headerFields { request.addValue(field.value, forHTTPHeaderField: field.name.rawName) }
        return request
    }

    /// Makes the request that opens a WebSocket. URLSession documents WebSockets only for the schemes `ws` and `wss`. It may apply the
    /// request's time limit to an open socket that is silent, so the limit is at least 60 seconds: the server sends a ping every 25
    /// seconds. The transport itself limits the time of the handshake.
    static func webSocketRequest(_ head: HTTPRequest, _ timeout: Duration) throws -> URLRequest {
        var head = head
        head.scheme = head.scheme == "http" ? "ws" : "wss"
        return try urlRequest(head, max(timeout, .seconds(60)))
    }
}

extension Task where Success == Never, Failure == Never {
    static func checkCancellation(as code: KeepsakeError.Code) throws {
        if isCancelled { throw KeepsakeError(code, "The call was cancelled.") }
    }
}
