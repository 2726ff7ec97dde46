import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request and its response, whose body is read while it arrives. URLSession calls this object on a serial queue.
///
/// `@unchecked Sendable`: `lock` guards every variable.
final class StreamedExchange: TaskObserver, @unchecked Sendable {
    /// Ends the exchange when nothing refers to the reader any more.
    final class Reader: Sendable {
        private let exchange: StreamedExchange

        init(_ exchange: StreamedExchange) { self.exchange = exchange }

        deinit { exchange.cancel() }

        func next() async throws -> Data? { try await exchange.next() }
    }

    /// The number of unread bytes above which the exchange stops reading from the network.
    static let maxByteCount = 1_048_576

    private let task: URLSessionDataTask
    private let lock = NSLock()
    private var opening: CheckedContinuation<HTTPResponse, any Error>?
    private var reading: CheckedContinuation<Data?, any Error>?
    private var buffer = Data()
    private var isPaused = false
    private var hasEnded = false
    private var failure: KeepsakeError?

    init(_ task: URLSessionDataTask) { self.task = task }

    // MARK: The reader

    /// Sends the request and waits for the head of the response.
    func open() async throws -> HTTPResponse {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let failure = lock.withLock {
                    if self.failure == nil { opening = continuation }
                    return self.failure
                }
                if let failure { continuation.resume(throwing: failure) } else { task.resume() }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Waits for the next bytes of the body.
    /// - Returns: `nil` at the end of the body.
    func next() async throws -> Data? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = lock.withLock { () -> Result<Data?, any Error>? in
                    if !buffer.isEmpty {
                        defer { buffer = Data() }
                        if isPaused {
                            isPaused = false
                            task.resume()
                        }
                        return .success(buffer)
                    }
                    if let failure { return .failure(failure) }
                    if hasEnded { return .success(nil) }
                    reading = continuation
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the exchange. Bytes that were not read are dropped.
    func cancel() {
        task.cancel()
        lock.withLock { buffer = Data() }
        finish(KeepsakeError(.cancelled, "The call was cancelled."))
    }

    // MARK: What URLSession reports

    func sent(_ count: Int64, of total: Int64) {}

    func receive(_ response: URLResponse) -> Bool {
        guard let response = response as? HTTPURLResponse else {
            finish(KeepsakeError(.invalidResponse, "The server did not respond with HTTP."))
            return false
        }
        let opening = lock.withLock {
            defer { self.opening = nil }
            return self.opening
        }
        opening?.resume(returning: Exchange.head(response))
        return opening != nil
    }

    func receive(_ data: Data) -> Bool {
        let (reader, goesOn) = lock.withLock { () -> (CheckedContinuation<Data?, any Error>?, Bool) in
            guard !hasEnded else { return (nil, false) }
            if let reading {
                self.reading = nil
                return (reading, true)
            }
            buffer.append(data)
            guard buffer.count > Self.maxByteCount, !isPaused else { return (nil, true) }
            #if canImport(FoundationNetworking)
                // Linux's URLSession cannot pause a task: to resume it, it sends the request again. So the exchange ends here. After the
                // reader has read the buffer, its next read throws.
                hasEnded = true
                failure = KeepsakeError(.network, "The response arrived faster than it was read.")
                return (nil, false)
            #else
                isPaused = true
                task.suspend()
                return (nil, true)
            #endif
        }
        reader?.resume(returning: data)
        return goesOn
    }

    func complete(_ error: (any Error)?) { finish(error.map { KeepsakeError(transport: $0) }) }

    /// Ends the exchange. Only the first call has an effect.
    private func finish(_ failure: KeepsakeError?) {
        let (opening, reading) = lock.withLock {
            if !hasEnded {
                hasEnded = true
                self.failure = failure
            }
            defer { (self.opening, self.reading) = (nil, nil) }
            return (self.opening, self.reading)
        }
        opening?.resume(throwing: failure ?? KeepsakeError(.network, "The connection closed without a response."))
        if let failure { reading?.resume(throwing: failure) } else { reading?.resume(returning: nil) }
    }
}
