import AsyncHTTPClient
import Core
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// Sends signed requests to one bucket and retries those that may succeed a moment later.
final class S3Client: Sendable {
    struct Pacing: Sendable {
        /// The most times that a request is sent.
        var attempts = 6
        /// The longest wait after the first failure. It doubles with each further one, up to `longest`.
        var first = Duration.milliseconds(100)
        var longest = Duration.seconds(3)
        /// Ends an attempt when the connection carries no bytes for this time.
        var idle = Duration.seconds(30)
    }

    /// The most bytes that one read of a connection returns. A piece of a response has no more.
    static let mostReadByteCount = 128 * 1_024
    /// The same for https: NIOSSL's buffer for a piece is twice as large.
    private static let mostSecureReadByteCount = 64 * 1_024

    let address: S3Address
    let signer: SigV4
    private let clock: WallClock
    private let pacing: Pacing
    private let http: HTTPClient
    private let configuration: HTTPClient.Configuration
    /// A client for each event loop that streams responses. A connection of `http` may be on any event loop, and a request that demanded
    /// one loop would often get a new connection, which is closed afterwards.
    private let streaming = Mutex<[ObjectIdentifier: HTTPClient]>([:])
    private let report: @Sendable (S3Observation) -> Void
    private let logger: Logger
    /// How far the store's clock is ahead of this machine's.
    private let skew = Mutex(Duration.zero)
    /// The difference between the clocks that the last response showed, whether or not requests are corrected by it.
    private let seenSkew = Mutex(Duration.zero)
    /// Whether the store has refused `If-None-Match` on a PUT as not implemented.
    private let lacksConditions = Mutex(false)

    /// - Parameter resolving: IP addresses by host name, which replace DNS; for tests of the virtual-host style.
    init(
        _ address: S3Address, _ credentials: S3Credentials, clock: WallClock, pacing: Pacing, resolving: [String: String],
        logger: Logger, observe: @escaping @Sendable (S3Observation) -> Void
    ) {
        self.address = address
        self.clock = clock
        self.pacing = pacing
        report = observe
        self.logger = logger
        signer = SigV4(credentials: credentials, region: address.region)
        var configuration = HTTPClient.Configuration()
        // The signature covers the host, and no response may send files or keys to another server.
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.timeout.connect = .seconds(3)
        configuration.timeout.read = TimeAmount(pacing.idle)
        configuration.timeout.write = TimeAmount(pacing.idle)
        // Parallel requests should not share one TCP connection.
        configuration.httpVersion = .http1Only
        // Requests above this number wait, for each of the clients. A download holds its connection for as long as its reader takes.
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 1_000
        configuration.connectionPool.idleTimeout = .seconds(20)
        // This client retries by itself, and counts what it retries.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.dnsOverride = resolving
        if !address.authorities.isEmpty {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .certificates(address.authorities)
            configuration.tlsConfiguration = tls
        }
        // NIO's default is four reads of at most 64 KiB for each event. Larger reads make a large file cheaper. With two reads for each
        // event, the client holds at most two pieces that its user has not taken. NIOSSL joins the reads of an event. The client has no
        // setting for these options, but lets its user prepare each connection.
        let isSecure = address.scheme == "https"
        configuration.http1_1ConnectionDebugInitializer = { channel in
            let most = isSecure ? Self.mostSecureReadByteCount : Self.mostReadByteCount
            let sizes = AdaptiveRecvByteBufferAllocator(minimum: 2_048, initial: 16_384, maximum: most)
            let readCount: UInt = isSecure ? 1 : 2
            return channel.setOption(.recvAllocator, value: sizes).flatMap { channel.setOption(.maxMessagesPerRead, value: readCount) }
        }
        self.configuration = configuration
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        // This is needed if nobody called `close`: a client that is released without a shutdown stops the process.
        for client in clients { client.shutdown { _ in } }
    }

    func close() async {
        for client in clients { try? await client.shutdown() }
    }

    private var clients: [HTTPClient] { [http] + streaming.withLock { Array($0.values) } }

    private func client(on eventLoop: any EventLoop) -> HTTPClient {
        streaming.withLock { clients in
            if let client = clients[ObjectIdentifier(eventLoop)] { return client }
            let client = HTTPClient(eventLoopGroupProvider: .shared(eventLoop), configuration: configuration)
            clients[ObjectIdentifier(eventLoop)] = client
            return client
        }
    }

    /// The time by the store's clock, as far as it is known.
    var storeTime: Timestamp { clock.now + skew.withLock { $0 } }

    /// How far the store's clock is ahead of this machine's, as the last response showed; positive when this machine is behind.
    var clockSkew: Duration { seenSkew.withLock { $0 } }

    var usesConditions: Bool { !lacksConditions.withLock { $0 } }

    func giveUpConditions() { lacksConditions.withLock { $0 = true } }

    // MARK: Requests

    /// Sends a request and reads its whole response.
    /// - Parameters:
    ///   - maxByteCount: the largest response body, in bytes.
    ///   - attempts: how often the request is sent at most; `nil` for the number in the pacing.
    /// - Throws: `S3Error`, `CancellationError`.
    func send(_ request: S3Request, maxByteCount: Int = 8 << 20, attempts: Int? = nil) async throws -> S3Response {
        try await retrying(request.operation, attempts: attempts) { isRetry in
            let outgoing = request.body.outgoing()
            defer { outgoing.release() }
            let response = try await self.head(request, outgoing.body, isRetry: isRetry)
            let body = try await self.connected(request.operation) { try await response.body.collect(upTo: maxByteCount) }
            self.received(body.readableBytes, request.operation)
            let answer = S3Response(status: Int(response.status.code), headers: response.headers, body: body)
            // For these two operations, the store sends the status before it knows whether they will succeed.
            let mayFailLate = request.operation == .completeUpload || request.operation == .copyPart
            if answer.status >= 300 || mayFailLate && XML.first("Code", in: answer.text) != nil { throw self.error(request, answer) }
            return answer
        }
    }

    /// Sends a request, which must have no file as its body, and returns as soon as the response's head has arrived.
    /// - Throws: `S3Error` also for a status of 300 or more; `CancellationError`.
    func open(_ request: S3Request) async throws -> HTTPClientResponse {
        try await retrying(request.operation) { isRetry in
            let response = try await self.head(request, request.body.outgoing().body, isRetry: isRetry)
            guard response.status.code >= 300 else { return response }
            let body = try await self.connected(request.operation) { try await response.body.collect(upTo: 65_536) }
            throw self.error(request, S3Response(status: Int(response.status.code), headers: response.headers, body: body))
        }
    }

    /// Counts the bytes of a response's body.
    func received(_ byteCount: Int, _ operation: S3Operation) {
        guard byteCount > 0 else { return }
        report(
            S3Observation(
                operation: operation, status: nil, duration: .zero, sentByteCount: 0, receivedByteCount: byteCount, isRetry: false,
                isBody: true))
    }

    /// Waits before the next attempt: a random time of at least half of the step's length, so that clients that failed together do not
    /// return together.
    /// - Parameter failures: how many attempts have failed in a row, at least 1.
    func pause(_ failures: Int) async throws { try await Task.sleep(for: pauseLength(after: failures)) }

    func pauseLength(after failures: Int) -> Duration {
        min(pacing.first * (1 << min(failures - 1, 16)), pacing.longest) * Double.random(in: 0.5...1)
    }

    var attempts: Int { pacing.attempts }

    /// Maps the errors of a connection.
    func connected<T>(_ operation: S3Operation, _ body: () async throws -> T) async throws -> T {
        do {
            return try await body()
        } catch let error as S3Error {
            throw error
        } catch {
            if !(error is NIOTooManyBytesError) { try Task.checkCancellation() }
            throw Self.error(error, operation)
        }
    }

    /// - Parameter error: what ended a request.
    static func error(_ error: any Error, _ operation: S3Operation) -> S3Error {
        switch error {
        case let error as S3Error: error
        case is NIOTooManyBytesError: S3Error(operation: operation, status: 200, code: "the response is too large")
        default: S3Error(operation: operation, status: nil, code: reason(error))
        }
    }

    // MARK: One attempt

    private func retrying<T>(
        _ operation: S3Operation, attempts: Int? = nil, _ attempt: (_ isRetry: Bool) async throws -> T
    ) async throws -> T {
        var failures = 0
        var hasCorrectedClock = false
        while true {
            do {
                return try await attempt(failures > 0)
            } catch let error as S3Error {
                if !hasCorrectedClock, correctClock(after: error) {
                    hasCorrectedClock = true
                    continue
                }
                failures += 1
                guard error.isTemporary, failures < attempts ?? pacing.attempts else { throw error }
                try await pause(failures)
            }
        }
    }

    /// Signs with the store's time from now on, if `error` says that the clocks differ.
    /// - Returns: whether to send the request again.
    func correctClock(after error: S3Error) -> Bool {
        guard error.code == "RequestTimeTooSkewed", let seconds = error.skewSeconds else { return false }
        skew.withLock { $0 = .seconds(seconds) }
        logger.warning(
            "this machine's clock differs from the object store's; requests are signed with the store's time",
            metadata: ["seconds": .stringConvertible(seconds)])
        return true
    }

    private func signed(_ request: S3Request) -> (url: String, headers: HTTPHeaders) {
        let path = address.path(request.name)
        let signed = signer.headers(
            method: request.method.rawValue, path: path, query: request.query, headers: [("host", address.host)] + request.headers,
            sha256: request.body.sha256, at: storeTime)
        let query = request.query.isEmpty ? "" : "?" + SigV4.canonicalQuery(request.query)
        return (
            "\(address.scheme)://\(address.host)\(path)\(query)", HTTPHeaders([("host", address.host)] + request.headers + signed)
        )
    }

    /// Sends a request without a body once. `delegate` receives its response on `eventLoop`, which also serves the connection.
    func start<D: HTTPClientResponseDelegate>(
        _ request: S3Request, _ delegate: D, on eventLoop: any EventLoop
    ) throws -> HTTPClient.Task<D.Response> {
        let (url, headers) = signed(request)
        return client(on: eventLoop).execute(
            request: try HTTPClient.Request(url: url, method: request.method, headers: headers), delegate: delegate,
            eventLoop: .delegate(on: eventLoop))
    }

    /// Counts an attempt, and notes the store's clock.
    /// - Parameter head: `nil` when there was no response.
    func observe(_ request: S3Request, _ head: (status: Int, headers: HTTPHeaders)?, after duration: Duration, isRetry: Bool) {
        report(
            S3Observation(
                operation: request.operation, status: head?.status, duration: duration, sentByteCount: request.body.byteCount,
                receivedByteCount: 0, isRetry: isRetry, isBody: false))
        if let date = head?.headers.first(name: "date").flatMap({ HTTPDate.parse($0) }).map({ Timestamp(seconds: $0) }) {
            seenSkew.withLock { $0 = date - clock.now }
        }
    }

    private func head(_ request: S3Request, _ body: HTTPClientRequest.Body?, isRetry: Bool) async throws -> HTTPClientResponse {
        let signed = signed(request)
        var outgoing = HTTPClientRequest(url: signed.url)
        outgoing.method = request.method
        outgoing.headers = signed.headers
        outgoing.body = body
        if case .none = request.body, request.method == .POST || request.method == .PUT {
            outgoing.headers.add(name: "content-length", value: "0")
        }
        let begun = ContinuousClock.now
        var head: (status: Int, headers: HTTPHeaders)?
        defer { observe(request, head, after: ContinuousClock.now - begun, isRetry: isRetry) }
        let response = try await connected(request.operation) { try await http.execute(outgoing, deadline: .now() + .minutes(10)) }
        head = (Int(response.status.code), response.headers)
        return response
    }

    func error(_ request: S3Request, _ response: S3Response) -> S3Error {
        let text = response.text
        var error = S3Error(
            operation: request.operation, status: response.status,
            code: XML.first("Code", in: text) ?? Self.code(ofStatus: response.status, request.operation))
        error.region = response.headers.first(name: "x-amz-bucket-region") ?? XML.first("Region", in: text)
        if let date = response.headers.first(name: "date").flatMap({ HTTPDate.parse($0) }).map({ Timestamp(seconds: $0) }) {
            let seconds = (date - clock.now).components.seconds
            error.skewSeconds = seconds
            // The response to a HEAD request has no body that names the error. So a 403 with clocks more than 10 minutes apart counts as an
            // error of the clock; stores accept 15 minutes.
            if request.method == .HEAD, response.status == 403, abs((date - storeTime).components.seconds) > 600 {
                error = S3Error(operation: request.operation, status: 403, code: "RequestTimeTooSkewed", skewSeconds: seconds)
            }
        }
        return error
    }

    /// The response to a HEAD request has no body that names the error.
    private static func code(ofStatus status: Int, _ operation: S3Operation) -> String {
        switch status {
        case 301, 307, 308: "PermanentRedirect"
        case 403: "AccessDenied"
        case 404: operation == .headBucket ? "NoSuchBucket" : "NoSuchKey"
        case 412: "PreconditionFailed"
        case 416: "InvalidRange"
        case 503: "ServiceUnavailable"
        default: "no error code"
        }
    }

    private static func reason(_ error: any Error) -> String {
        // BoringSSL's name for a chain that ends at no trusted authority, or has expired.
        if error is NIOSSLError || error is BoringSSLError, "\(error)".contains("CERTIFICATE_VERIFY_FAILED") { return S3Error.untrusted }
        if let error = error as? NIOSSLExtraError, error == .failedToValidateHostname { return S3Error.otherName }
        guard let error = error as? HTTPClientError else { return "no connection (\(type(of: error)))" }
        return switch error {
        case .connectTimeout: "no connection within 3 s"
        case .readTimeout, .writeTimeout, .deadlineExceeded: "no response in time"
        case .remoteConnectionClosed: "the connection was closed"
        default: error.shortDescription
        }
    }
}
