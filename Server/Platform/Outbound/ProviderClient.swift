package import Core
internal import Database
package import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// Calls one engine outside the installation. All features use it: it limits the time of each call, obeys `Retry-After`, stops calling an
/// engine that is down, keeps the key out of texts and logs, limits how many calls run at a time, and records every call in the ledger.
package final class ProviderClient: Sendable {
    /// Where the engine is and how to sign in.
    package struct Address: Sendable {
        /// The engine's name in settings: `gemini` or `openai`.
        package var engine: String
        /// The URL before the path, without a trailing slash.
        package var base: String
        package var model: String
        /// The header that carries the key, for example `x-goog-api-key`.
        package var keyHeader: String
        /// The header's whole value; `nil` when the engine requires no key.
        package var key: Secret<String>?
        /// The time limit from the connection to the last byte of the response.
        package var timeout: Duration

        package init(engine: String, base: String, model: String, keyHeader: String, key: Secret<String>?, timeout: Duration) {
            self.engine = engine
            var base = base
            while base.hasSuffix("/") { base.removeLast() }
            self.base = base
            self.model = model
            self.keyHeader = keyHeader
            self.key = key
            self.timeout = timeout
        }
    }

    package struct Request: Sendable {
        /// The path below the address's `base`; begins with a slash.
        package var path: String
        package var contentType: String
        /// `nil` sends a GET request.
        package var body: Body?
        /// What the answer is for: `analyse`, `answer`, `chat`, `transcribe` or `probe`.
        package var purpose: String
        /// Whose data the body carries; `nil` for a probe.
        package var owner: String?
        /// The largest response body, in bytes.
        package var maxByteCount: Int

        package init(path: String, contentType: String, body: Body?, purpose: String, owner: String?, maxByteCount: Int = 1 << 20) {
            self.path = path
            self.contentType = contentType
            self.body = body
            self.purpose = purpose
            self.owner = owner
            self.maxByteCount = maxByteCount
        }
    }

    /// How the body of a request is made.
    package struct Body: Sendable {
        fileprivate let hasFiles: Bool
        fileprivate let make: @Sendable () async throws -> PiecewiseBody

        /// - Parameters:
        ///   - hasFiles: whether the body contains pictures or sound. Then it is made and sent in a turn of `OutboundHTTP.uploads`.
        ///   - make: called immediately before the body is sent, and once for each attempt. It reads the files, so that no file is in
        ///     memory before or after that.
        package init(hasFiles: Bool = false, _ make: @escaping @Sendable () async throws -> PiecewiseBody) {
            self.hasFiles = hasFiles
            self.make = make
        }
    }

    package let address: Address
    private let outbound: OutboundHTTP
    /// `nil` in tests of a single engine; then no call is recorded.
    private let ledger: CallLedger?
    private let permits: Permission
    private let breaker: Mutex<CircuitBreaker>
    private let clock: WallClock
    let slots: FairSemaphore
    /// `nil`: an account may call the engine as often as it likes.
    private let rates: (any CallRates)?

    /// Whether engines outside the installation may get the account's data at this moment.
    package typealias Permission = @Sendable (_ owner: String) async throws -> Bool

    /// Limits for calls that take seconds. There is room for all questions that are answered at a time (32, see `Answers.questionLimits`),
    /// and for all jobs of captures beside them (8): otherwise a few networks with slow questions would make the jobs of all accounts wait.
    /// A job has no network.
    package static let usualSlots = FairSemaphore.Limits(
        permits: 40, permitsPerKey: 4, permitsPerNetwork: 8, waiting: 256, waitingPerKey: 32, waitingPerNetwork: 64)
    /// Limits for calls of chat models, which last as long as an answer is written. A network gets as many as `AnswerWriter` writes answers
    /// for it at a time.
    package static let chatSlots = FairSemaphore.Limits(
        permits: 512, permitsPerKey: 128, permitsPerNetwork: 256, waiting: 64, waitingPerKey: 16, waitingPerNetwork: 32, reserve: 128,
        small: 32)
    /// The shortest wait of a job whose account has made too many calls. Jobs have few attempts, and an account can have many jobs.
    static let jobPause = Duration.seconds(120)

    /// - Parameters:
    ///   - slots: how many calls run and wait at a time.
    ///   - rates: how many calls an account and a network make a minute.
    ///   - permits: called immediately before each call that carries a user's data. So a task that makes many calls, such as the
    ///     transcription of a long recording, stops when the user refuses outside engines meanwhile.
    package init(
        _ address: Address, outbound: OutboundHTTP, ledger: CallLedger?, clock: WallClock, limits: CircuitBreaker.Limits = .init(),
        slots: FairSemaphore.Limits = ProviderClient.usualSlots, rates: (any CallRates)? = nil, permits: @escaping Permission
    ) {
        self.clock = clock
        self.permits = permits
        self.slots = FairSemaphore(slots)
        self.rates = rates
        self.address = address
        self.outbound = outbound
        self.ledger = ledger
        breaker = Mutex(CircuitBreaker(limits))
    }

    /// Sends a POST request.
    /// - Returns: the body of a response with the status 200.
    /// - Throws: `ProviderFailure`, also when the owner refuses outside engines; an error of the database, when the permission cannot be
    ///   read or the ledger cannot be written; what `Request.body` throws; `CancellationError`.
    package func post(_ request: Request) async throws -> ByteBuffer {
        try await call(request, Received()) { [self] body in
            try await outbound.send(outgoing(request, body, accepting: "application/json"))
        }
    }

    /// What a call that streams has received so far. The task that reads the stream writes it.
    package final class Received: Sendable {
        private struct State {
            var byteCount: Int?
            var pieceCount = 0
            var tokens: CallLedger.Tokens?
        }
        private let state = Mutex(State())

        package init() {}

        func add(_ byteCount: Int) {
            state.withLock {
                $0.byteCount = ($0.byteCount ?? 0) + byteCount
                $0.pieceCount += 1
            }
        }
        /// Whether the piece that is being read is the first.
        package var isFirst: Bool { state.withLock { $0.pieceCount <= 1 } }
        fileprivate var byteCount: Int? { state.withLock { $0.byteCount } }
        /// The tokens that the engine says it has counted, for the ledger.
        package var tokens: CallLedger.Tokens? {
            get { state.withLock { $0.tokens } }
            set { state.withLock { $0.tokens = newValue } }
        }
    }

    /// Sends a POST request and passes the body of a response with the status 200 to `piece` as it arrives.
    /// - Parameters:
    ///   - silence: the longest time between two reads of the response, and between two pieces of the body that the engine takes.
    ///   - received: what has arrived so far. The caller sets its `tokens` when it has read them.
    /// - Throws: the errors of `post` and of `piece`. A `ProviderFailure` that `piece` throws counts as a failure of the engine.
    package func stream(
        _ request: Request, silence: Duration, _ received: Received, _ piece: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws {
        _ = try await call(request, received) { [self] body in
            try await outbound.stream(outgoing(request, body, accepting: "text/event-stream"), silence: silence) { bytes in
                received.add(bytes.readableBytes)
                if received.isFirst { self.breaker.withLock { $0.began() } }
                try await piece(bytes)
            }
        }
    }

    /// Makes one call, within the limits, and records it.
    private func call(
        _ request: Request, _ streamed: Received, _ execute: @Sendable (PiecewiseBody?) async throws -> OutboundHTTP.Response
    ) async throws -> ByteBuffer {
        try await count(request)
        let permit: FairSemaphore.Permit
        do {
            permit = try await slots.acquire(for: Requester(account: request.owner, network: Requester.current.network))
        } catch is FairQueueRefusal {
            throw ProviderFailure.away("too many calls wait for \(address.engine)", after: .seconds(5))
        }
        defer { permit.release() }
        if let pause = breaker.withLock({ $0.wait(at: clock.now, by: request.owner) }) { throw notCalled(for: pause) }
        let turn = try await turn(of: request)
        defer { turn?.release() }
        let body = try await body(of: request, in: turn)
        defer { body?.drop() }
        // End the turn when the body has been sent. The model may then think about its answer for minutes.
        if let turn { body?.whenSent { turn.release() } }
        // Ask after the wait for a permit and for the files, because the owner may change this setting during the wait.
        // When the caller retries, it uses an engine of this installation.
        if let owner = request.owner, try await !permits(owner) {
            throw ProviderFailure.unavailable("the user refuses engines outside the installation")
        }
        // The breaker is asked after the files are read: reading may take long, and after an outage `admit` lets only one call at a time
        // test the engine.
        let (pause, trial) = breaker.withLock { breaker in (breaker.admit(at: clock.now, by: request.owner), breaker.trial) }
        if let pause { throw notCalled(for: pause) }
        var isReported = false
        defer { if !isReported { breaker.withLock { $0.abandon(trial) } } }
        let row = try await ledger?.begin(
            .init(
                owner: request.owner, engine: address.engine, purpose: request.purpose, model: address.model, host: host,
                sentByteCount: body?.byteCount ?? 0))
        let start = ContinuousClock.now
        let (result, outcome) = await send(body, of: request.owner, execute)
        if let outcome {
            breaker.withLock { $0.report(outcome, of: trial, at: clock.now) }
            isReported = true
        }
        let text: String
        var received = streamed.byteCount
        switch result {
        case .success(let response):
            text = "answered \(response.status)"
            received = (received ?? 0) + response.body.readableBytes
        case .failure(let failure as ProviderFailure): text = failure.description
        case .failure: text = "cancelled"
        }
        if let row, let ledger {
            // Record the call in a separate task, because a cancelled task also has to record what it has sent. If the database is not
            // available, the answer is still good, and the row keeps the outcome "sent".
            let (count, took, tokens) = (received, ContinuousClock.now - start, streamed.tokens)
            await Task { try? await ledger.end(row, receivedByteCount: count, took: took, outcome: text, tokens: tokens) }.value
        }
        let response = try result.get()
        guard response.status == 200 else { throw ProviderFailure(response, engine: address.engine, now: clock.now) }
        return response.body
    }

    /// Counts the call. An engine that gets too many calls refuses those of all accounts for a while, so no account may cause that.
    private func count(_ request: Request) async throws {
        guard let rates, let owner = request.owner else { return }
        let network = Requester.current.network
        guard let wait = try await rates.take(account: owner, network: network) else { return }
        throw ProviderFailure.away(
            "this account or network makes too many calls to \(address.engine)", after: network == nil ? max(wait, Self.jobPause) : wait)
    }

    private func notCalled(for pause: Duration) -> ProviderFailure {
        .away("\(address.engine) is not called because its last calls failed", after: pause)
    }

    /// Waits for a turn to send files, at most as long as a call may take.
    /// - Returns: `nil` for a request without files.
    private func turn(of request: Request) async throws -> FairSemaphore.Permit? {
        guard request.body?.hasFiles == true else { return nil }
        let requester = Requester(account: request.owner, network: Requester.current.network)
        do {
            let holder = Requester.source?.turns
            if let turn = try await outbound.uploads.acquire(for: requester, within: address.timeout, holder: holder) { return turn }
        } catch is FairQueueRefusal {}
        throw ProviderFailure.away("too many files wait to be sent", after: .seconds(5))
    }

    /// Makes the body of the request. While `make` waits for the media workers, which decode the files, the turn counts as held: most
    /// callers are jobs, and no request counts their turn.
    private func body(of request: Request, in turn: FairSemaphore.Permit?) async throws -> PiecewiseBody? {
        guard let body = request.body, turn != nil else { return try await request.body?.make() }
        return try await Requester.current.runHoldingTurn { try await body.make() }
    }

    private func outgoing(_ request: Request, _ body: PiecewiseBody?, accepting type: String) -> OutboundHTTP.Request {
        var headers: HTTPHeaders = ["Content-Type": request.contentType, "Accept": type]
        if let key = address.key { headers.add(name: address.keyHeader, value: key.exposed) }
        let whole = request.body?.hasFiles == true ? nil : body?.takeWhole()
        let sent = whole.map { OutboundHTTP.Body.whole($0) } ?? body.map { OutboundHTTP.Body.pieces($0) }
        return OutboundHTTP.Request(
            request.body == nil ? .GET : .POST, address.base + request.path, headers: headers, body: sent, timeout: address.timeout,
            maxByteCount: request.maxByteCount)
    }

    private func send(
        _ body: PiecewiseBody?, of owner: String?, _ execute: @Sendable (PiecewiseBody?) async throws -> OutboundHTTP.Response
    ) async -> (Result<OutboundHTTP.Response, any Error>, CircuitBreaker.Outcome?) {
        do {
            let response = try await execute(body)
            return (.success(response), Self.outcome(of: response, owner, now: clock.now))
        } catch let failure as ProviderFailure {
            return (.failure(failure), failure.isPermanent ? .refused : .erred(by: owner))
        } catch let failure as OutboundHTTP.Failure {
            return (.failure(self.failure(of: failure)), Self.outcome(of: failure, owner))
        } catch {
            return (.failure(error), nil)
        }
    }

    private static func outcome(of response: OutboundHTTP.Response, _ owner: String?, now: Timestamp) -> CircuitBreaker.Outcome {
        switch response.status {
        case 200: .succeeded
        case 429, 503: response.retryAfter(now: now).map { .busy($0) } ?? .failed
        // Some engines fail for one request, for example because its text is too long for them.
        case 500: .erred(by: owner)
        // A proxy before the engine waited too long for it.
        case 408, 504: .tookLong(by: owner)
        case 501...: .failed
        default: .refused
        }
    }

    private static func outcome(of failure: OutboundHTTP.Failure, _ owner: String?) -> CircuitBreaker.Outcome {
        switch failure {
        // The engine answers, but the answer is larger than allowed.
        case .addressNotAllowed, .tooLarge: .refused
        case .timedOut: .tookLong(by: owner)
        case .unreachable: .failed
        }
    }

    private func failure(of failure: OutboundHTTP.Failure) -> ProviderFailure {
        switch failure {
        case .addressNotAllowed: .refused("the address of \(address.engine) must be https, or http on this machine")
        case .timedOut(let time): .away("\(address.engine) took longer than \(time)")
        case .tooLarge(let count): .unavailable("the answer of \(address.engine) exceeds \(SizeText.limit(count))")
        case .unreachable: .away("\(address.engine) cannot be reached")
        }
    }

    /// The engine's host, for the ledger.
    private var host: String {
        let rest = address.base.drop { $0 != ":" }.drop { $0 == ":" || $0 == "/" }
        return String(rest.prefix { $0 != "/" })
    }
}
