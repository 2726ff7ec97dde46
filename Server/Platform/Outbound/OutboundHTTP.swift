internal import AsyncHTTPClient
package import Core
package import NIOCore
package import NIOHTTP1

/// Sends requests to other services under one policy: addresses as `OutboundPolicy` allows, no redirects, no decompression, and a
/// response of bounded size within a bounded time.
///
/// Each request uses its own HTTP client, which shuts down when the request ends. Requests are rare, so a connection pool is not
/// worthwhile.
package struct OutboundHTTP: Sendable {
    /// The body of a request.
    package enum Body: Sendable {
        case whole(ByteBuffer)
        /// A body that is sent in pieces.
        case pieces(PiecewiseBody)
    }

    package struct Request: Sendable {
        package var method: HTTPMethod
        package var url: String
        package var headers: HTTPHeaders
        package var body: Body?
        /// The time limit from the connection to the last byte of the response; default 5 s.
        package var timeout: Duration
        /// The largest response body, in bytes; default 262,144.
        package var maxByteCount: Int

        package init(
            _ method: HTTPMethod, _ url: String, headers: HTTPHeaders = [:], body: Body? = nil, timeout: Duration = .seconds(5),
            maxByteCount: Int = 262_144
        ) {
            self.method = method
            self.url = url
            self.headers = headers
            self.body = body
            self.timeout = timeout
            self.maxByteCount = maxByteCount
        }

        fileprivate var pieces: PiecewiseBody? {
            if case .pieces(let pieces)? = body { pieces } else { nil }
        }
    }

    package struct Response: Sendable {
        package let status: Int
        package let headers: HTTPHeaders
        package let body: ByteBuffer

        package init(status: Int, headers: HTTPHeaders, body: ByteBuffer) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// The delay that `Retry-After` requests as a number of seconds or as a date (RFC 9110 §10.2.3), at most an hour; `nil` when the
        /// field is missing or is neither of these.
        /// - Parameter now: the time that a date is compared with if the response does not say when it was sent. If the response says so,
        ///   that time is used instead, because the two clocks may differ.
        package func retryAfter(now: Timestamp) -> Duration? {
            guard let value = headers.first(name: "Retry-After") else { return nil }
            func date(_ text: String) -> Int64? { HTTPDate.parse(text, now: now) }
            let sent = headers.first(name: "Date").flatMap(date) ?? now.seconds
            return (Int64(value) ?? date(value).map { $0 - sent }).map { .seconds(min(max($0, 0), 3_600)) }
        }
    }

    /// The reason why there is no response. Its description contains no address.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        case addressNotAllowed
        case timedOut(Duration)
        case tooLarge(maxByteCount: Int)
        /// - Parameter String: the type name of the network error.
        case unreachable(String)

        package var description: String {
            switch self {
            case .addressNotAllowed: "the address must be https, or http on this machine"
            case .timedOut(let time): "no response within \(time)"
            case .tooLarge(let maxByteCount): "the response is larger than \(SizeText.limit(maxByteCount))"
            case .unreachable(let reason): "no connection (\(reason))"
            }
        }
    }

    package let policy: OutboundPolicy

    /// Turns for requests whose body holds files. A request holds its turn while its body is made, and until the last piece was sent. All
    /// providers share the turns. Such a body usually has less than 8 MB, and at most about 32 MB: eight pictures of 2,048 pixels, or a
    /// picture and five minutes of sound. So all bodies together have at most about 256 MB.
    package let uploads: FairSemaphore

    /// The usual limits of `uploads`. There is room for every answer and every job that may wait, so these limits refuse no request. The
    /// reserve is for networks without a turn, so that a few networks whose pictures take long to decode cannot lock out everybody else.
    package static let usualUploads = FairSemaphore.Limits(
        permits: 8, permitsPerKey: 2, permitsPerNetwork: 2, waiting: 2_048, waitingPerKey: 256, waitingPerNetwork: 512, reserve: 4,
        small: 1)

    package init(_ policy: OutboundPolicy, uploads: FairSemaphore.Limits = OutboundHTTP.usualUploads) {
        self.policy = policy
        self.uploads = FairSemaphore(uploads)
    }

    /// - Throws: `Failure`; `CancellationError` when the task was cancelled.
    package func send(_ request: Request) async throws -> Response {
        try await limited(request) { try await Self.execute(request) }
    }

    private func limited(
        _ request: Request, silence: Duration? = nil, _ execute: @escaping @Sendable () async throws -> Response
    ) async throws -> Response {
        guard policy.allows(request.url) else { throw Failure.addressNotAllowed }
        do {
            // The library's deadline covers only the head of the response, so this task group limits the whole exchange.
            return try await withThrowingTaskGroup(of: Response?.self) { group in
                group.addTask { try await execute() }
                group.addTask {
                    try await Task.sleep(for: request.timeout)
                    return nil
                }
                if let pieces = request.pieces {
                    let stall = silence ?? Self.usualStall
                    group.addTask {
                        try await pieces.waitForStall(stall)
                        throw Failure.timedOut(stall)
                    }
                }
                defer { group.cancelAll() }
                guard let response = try await group.next()?.flatMap({ $0 }) else { throw Failure.timedOut(request.timeout) }
                return response
            }
        } catch let failure as Failure {
            throw failure
        } catch let failure as PieceFailure {
            throw failure.error
        } catch is NIOTooManyBytesError {
            throw Failure.tooLarge(maxByteCount: request.maxByteCount)
        } catch {
            try Task.checkCancellation()
            if let error = error as? HTTPClientError, [.deadlineExceeded, .readTimeout].contains(error) {
                throw Failure.timedOut(error == .readTimeout ? silence ?? request.timeout : request.timeout)
            }
            throw Failure.unreachable("\(type(of: error))")
        }
    }

    /// Sends a request and passes the body of a response with the status 200 to `piece` as it arrives. `Request.timeout` limits the whole
    /// exchange.
    /// - Parameter silence: the longest time between two reads of the response, and between two pieces of the request's body.
    /// - Returns: the response; its body is empty if it went to `piece`.
    /// - Throws: `Failure`; the errors of `piece`; `CancellationError` when the task was cancelled.
    package func stream(
        _ request: Request, silence: Duration, _ piece: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws -> Response {
        try await limited(request, silence: silence) { try await Self.execute(request, silence: silence, piece) }
    }

    private static func execute(
        _ request: Request, silence: Duration? = nil, _ piece: (@Sendable (ByteBuffer) async throws -> Void)? = nil
    ) async throws -> Response {
        var configuration = HTTPClient.Configuration()
        // No response may redirect the request to another server: the settings name the server that gets it, and it may contain a key.
        configuration.redirectConfiguration = .disallow
        configuration.timeout.connect = .seconds(3)
        if let silence { configuration.timeout.read = TimeAmount(silence) }
        // A small response could become a large one when it is decompressed.
        configuration.decompression = .disabled
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = request.method
        outgoing.headers = request.headers
        switch request.body {
        case .whole(let bytes)?: outgoing.body = .bytes(bytes)
        case .pieces(let body)?:
            outgoing.body = .stream(body.pieces, length: .known(Int64(body.byteCount)))
            // These initializers are the only way to learn what the connection has sent.
            configuration.http1_1ConnectionDebugInitializer = { body.attach(to: $0) }
            configuration.http2StreamChannelDebugInitializer = { body.attach(to: $0) }
        case nil: break
        }
        // If the call was cancelled or timed out, this releases the rest of the body.
        defer { request.pieces?.drop() }
        return try await HTTPClient.withHTTPClient(configuration: configuration) { client in
            let limit = TimeAmount(request.timeout)
            let response = try await client.execute(outgoing, deadline: .now() + limit)
            if let pieces = request.pieces, !pieces.isEnded, response.status.code >= 300 {
                // The provider reads no more of the body. Release the rest before reading the response: see `PiecewiseBody.attach`.
                pieces.drop()
                let body = try? await response.body.collect(upTo: errorByteCount)
                try Task.checkCancellation()
                return Response(status: Int(response.status.code), headers: response.headers, body: body ?? ByteBuffer())
            }
            guard let piece, response.status == .ok else {
                return Response(
                    status: Int(response.status.code), headers: response.headers,
                    body: try await response.body.collect(upTo: piece == nil ? request.maxByteCount : errorByteCount))
            }
            var count = 0
            for try await bytes in response.body {
                count += bytes.readableBytes
                guard count <= request.maxByteCount else { throw Failure.tooLarge(maxByteCount: request.maxByteCount) }
                do { try await piece(bytes) } catch { throw PieceFailure(error: error) }
            }
            return Response(status: Int(response.status.code), headers: response.headers, body: ByteBuffer())
        }
    }

    /// The longest time between two pieces of the request's body, if the response is not streamed.
    private static let usualStall = Duration.seconds(60)

    /// The largest body of a response with another status than 200, in bytes, if the response is streamed or came before the whole request
    /// was sent.
    private static let errorByteCount = 65_536

    /// Wraps an error of the closure that receives the pieces, so that it is not taken for an error of the connection.
    private struct PieceFailure: Error {
        let error: any Error
    }
}
