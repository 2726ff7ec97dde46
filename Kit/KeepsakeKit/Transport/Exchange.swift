import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Receives what URLSession reports about a task, on a serial queue.
protocol TaskObserver: AnyObject, Sendable {
    func sent(_ count: Int64, of total: Int64)
    /// - Returns: whether to read the body; `false` ends the task.
    func receive(_ response: URLResponse) -> Bool
    /// - Returns: whether to continue; `false` ends the task.
    func receive(_ data: Data) -> Bool
    func complete(_ error: (any Error)?)
}

/// One request and its response. URLSession calls it on a serial queue; `expire` comes from another thread.
///
/// `@unchecked Sendable`: `lock` guards every variable.
final class Exchange: TaskObserver, @unchecked Sendable {
    /// The most bytes of a response body that is kept in memory, so that a server cannot fill it.
    static let maxByteCount = 64 * 1_048_576

    private let lock = NSLock()
    private let file: URL?
    private let progress: TransportProgress?
    private var continuation: CheckedContinuation<TransportResponse, any Error>?
    private var head: HTTPResponse?
    private var body = Data()
    private var part: (url: URL, handle: FileHandle)?
    private var expected: Int64 = 0
    private var received: Int64 = 0
    private var fault: (any Error)?
    private var hasExpired = false
    private var outcome: Result<TransportResponse, any Error>?

    init(file: URL?, progress: TransportProgress?) {
        self.file = file
        self.progress = progress
    }

    /// Stores the continuation that gets the result.
    /// - Returns: whether the request must still be sent. If the task was cancelled before this, the exchange already has its result.
    func start(_ continuation: CheckedContinuation<TransportResponse, any Error>) -> Bool {
        let outcome = lock.withLock {
            if self.outcome == nil { self.continuation = continuation }
            return self.outcome
        }
        if let outcome { continuation.resume(with: outcome) }
        return outcome == nil
    }

    func expire() { lock.withLock { hasExpired = true } }

    func sent(_ count: Int64, of total: Int64) {
        if total > 0 { progress?(min(1, Double(count) / Double(total))) }
    }

    func receive(_ response: URLResponse) -> Bool {
        lock.withLock {
            guard outcome == nil else { return false }
            guard let response = response as? HTTPURLResponse else {
                fault = KeepsakeError(.invalidResponse, "The server did not respond with HTTP.")
                return false
            }
            head = Self.head(response)
            expected = response.expectedContentLength
            body = Data()
            guard let file, 200..<300 ~= response.statusCode else { return true }
            do {
                let url = file.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).part")
                try Data().write(to: url)
                part = (url, try FileHandle(forWritingTo: url))
                return true
            } catch {
                fault = error
                return false
            }
        }
    }

    static func head(_ response: HTTPURLResponse) -> HTTPResponse {
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            if let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String { fields[name] = value }
        }
        // A status code outside 0…999 would end the process.
        return HTTPResponse(status: .init(code: min(max(0, response.statusCode), 999)), headerFields: fields)
    }

    func receive(_ data: Data) -> Bool {
        let (goesOn, fraction) = lock.withLock { () -> (Bool, Double?) in
            guard outcome == nil else { return (false, nil) }
            received += Int64(data.count)
            do {
                if let part {
                    try part.handle.write(contentsOf: data)
                    return (true, expected > 0 ? min(1, Double(received) / Double(expected)) : nil)
                }
                guard body.count + data.count <= Self.maxByteCount else {
                    throw KeepsakeError(.invalidResponse, "The response is larger than \(Self.maxByteCount / 1_048_576) MB.")
                }
                body.append(data)
                return (true, nil)
            } catch {
                fault = error
                return (false, nil)
            }
        }
        if let fraction { progress?(fraction) }
        return goesOn
    }

    /// Only the first call has an effect. URLSession also reports a cancelled task, but later, and not in every state.
    func complete(_ error: (any Error)?) {
        let (continuation, outcome) = lock.withLock {
            let isFirst = self.outcome == nil
            let outcome = self.outcome ?? Result { try finish(error) }
            self.outcome = outcome
            defer { self.continuation = nil }
            return (isFirst ? self.continuation : nil, outcome)
        }
        continuation?.resume(with: outcome)
    }

    private func finish(_ error: (any Error)?) throws -> TransportResponse {
        defer { if let part { try? FileManager.default.removeItem(at: part.url) } }
        try part?.handle.close()
        if hasExpired { throw KeepsakeError(.timeout, "The server did not respond in time.") }
        if let fault { throw fault }
        if let error {
            let failure = KeepsakeError(transport: error)
            // If the server refuses a request before it has read all of it, the connection often breaks too. The refusal then counts, not
            // the error.
            guard let head, head.status.code >= 400, failure.code != .cancelled else { throw failure }
        }
        guard let head else { throw KeepsakeError(.network, "The connection closed without a response.") }
        if let part, let file {
            guard expected <= 0 || received >= expected || head.headerFields[.contentEncoding] != nil else {
                throw KeepsakeError(.network, "The connection closed before the file was complete.")
            }
            // `replaceItemAt` would keep the old file's attributes. A rename does not, and replaces the file atomically.
            guard rename(part.url.path, file.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        }
        return TransportResponse(head: head, body: body)
    }
}

/// The exchanges in flight, by the identifier of their URLSession task.
///
/// `@unchecked Sendable`: `lock` guards the dictionary.
final class Exchanges: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var all: [Int: any TaskObserver] = [:]

    func add(_ exchange: any TaskObserver, for task: Int) { lock.withLock { all[task] = exchange } }

    func remove(_ task: Int) { lock.withLock { _ = all.removeValue(forKey: task) } }

    private func exchange(_ task: URLSessionTask) -> (any TaskObserver)? { lock.withLock { all[task.taskIdentifier] } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) { exchange(task)?.sent(totalBytesSent, of: totalBytesExpectedToSend) }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) { completionHandler(exchange(dataTask)?.receive(response) == true ? .allow : .cancel) }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if exchange(dataTask)?.receive(data) == false { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        lock.withLock { all.removeValue(forKey: task.taskIdentifier) }?.complete(error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) {
        let (from, to) = (task.originalRequest?.url, request.url)
        var request = request
        if (from?.scheme, from?.host, from?.port) != (to?.scheme, to?.host, to?.port) {
            // The token is only for the first server.
            request.setValue(nil, forHTTPHeaderField: "Authorization")
        }
        completionHandler(request)
    }
}
