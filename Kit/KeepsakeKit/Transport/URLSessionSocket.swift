// Linux's URLSession needs a libcurl that was built with WebSockets, which Linux distributions do not ship.
#if !canImport(FoundationNetworking)
    import Foundation
    public import HTTPTypes

    extension URLSessionTransport {
        public func connect(_ request: HTTPRequest, timeout: Duration) async throws -> TransportConnection {
            try Task.checkCancellation(as: .cancelled)
            let task = session.webSocketTask(with: try Self.webSocketRequest(request, timeout))
            task.maximumMessageSize = URLSessionSocket.maxByteCount
            let socket = URLSessionSocket(task)
            task.resume()
            do {
                // A pong proves that the handshake has succeeded.
                try await socket.ping(timeout: timeout)
                socket.keepAlive()
                return .open(socket)
            } catch {
                socket.close()
                try Task.checkCancellation(as: .cancelled)
                guard let response = task.response as? HTTPURLResponse, response.statusCode != 101 else { throw error }
                return .refused(TransportResponse(head: Exchange.head(response)))
            }
        }
    }

    /// A WebSocket of URLSession, which only Apple's systems support. This code has never run: this project's tests run on Linux.
    ///
    /// `@unchecked Sendable`: `lock` guards the variable.
    final class URLSessionSocket: TransportSocket, @unchecked Sendable {
        static let maxByteCount = 1_048_576
        private static let pingInterval: Duration = .seconds(30)
        private static let pongTimeout: Duration = .seconds(20)

        private let task: URLSessionWebSocketTask
        private let lock = NSLock()
        private var pinging: Task<Void, Never>?

        init(_ task: URLSessionWebSocketTask) { self.task = task }

        deinit { close() }

        func receive() async throws -> String {
            try await withTaskCancellationHandler {
                while true {
                    do {
                        if case .string(let text) = try await task.receive() { return text }
                    } catch { throw Self.ended(error) }
                }
            } onCancel: {
                close()
            }
        }

        func send(_ text: String) async throws {
            do { try await task.send(.string(text)) } catch { throw Self.ended(error) }
        }

        func close() {
            lock.withLock { pinging }?.cancel()
            task.cancel(with: .goingAway, reason: nil)
        }

        private static func ended(_ error: any Error) -> KeepsakeError {
            KeepsakeError(.network, "The connection has ended: \(error.localizedDescription)")
        }

        /// Sends pings. When a phone changes its network, the old connection gets no error: only a missing pong shows that it is lost.
        func keepAlive() {
            let new = Task { [weak self] in
                while true {
                    guard (try? await Task.sleep(for: Self.pingInterval)) != nil, let self else { return }
                    guard (try? await self.ping(timeout: Self.pongTimeout)) != nil else { return self.close() }
                }
            }
            lock.withLock { pinging = new }
        }

        func ping(timeout: Duration) async throws {
            let answer = PingAnswer()
            let timer = Task { [task] in
                try await Task.sleep(for: timeout)
                answer.finish(KeepsakeError(.timeout, "The server did not respond in time."))
                task.cancel(with: .goingAway, reason: nil)
            }
            defer { timer.cancel() }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    answer.start(continuation)
                    task.sendPing { error in answer.finish(error.map { KeepsakeError(transport: $0) }) }
                }
            } onCancel: {
                answer.finish(KeepsakeError(.cancelled, "The call was cancelled."))
                task.cancel(with: .goingAway, reason: nil)
            }
        }
    }

    /// The continuation of one ping. It is resumed only once, although URLSession may call a ping's handler late or twice.
    ///
    /// `@unchecked Sendable`: `lock` guards the variables.
    private final class PingAnswer: @unchecked Sendable {
        private let lock = NSLock()
        private var continuation: CheckedContinuation<Void, any Error>?
        private var result: Result<Void, any Error>?

        func start(_ continuation: CheckedContinuation<Void, any Error>) {
            let result = lock.withLock {
                if self.result == nil { self.continuation = continuation }
                return self.result
            }
            if let result { continuation.resume(with: result) }
        }

        func finish(_ error: (any Error)?) {
            let outcome: Result<Void, any Error> = error.map { .failure($0) } ?? .success(())
            let continuation = lock.withLock {
                if result == nil { result = outcome }
                defer { self.continuation = nil }
                return self.continuation
            }
            continuation?.resume(with: outcome)
        }
    }
#endif
