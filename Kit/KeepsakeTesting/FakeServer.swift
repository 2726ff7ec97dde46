public import Foundation
public import HTTPTypes
public import KeepsakeKit
public import KeepsakeWire

/// A Keepsake server in memory, for an app's own tests. It uses no network and no files, and tests need not wait for jobs.
///
///     let server = FakeServer()
///     let keepsake = server.client()
///     try await keepsake.auth.register(email: "ada@example.org", password: "correct horse")
///
/// It supports accounts, files, moods, memories, events, timeline, search, capsules, people, coves, captures, questions and live events.
/// For what an app does in its tests, it responds like the real server: the same suite of tests passes on both. It does not decode files,
/// so it does not measure pictures. It does not understand texts: it transcribes, analyses and answers in a simple way. The links that it
/// returns cannot be loaded; `MediaLibrary.download` works.
///
/// `@unchecked Sendable`: `lock` guards every variable.
public final class FakeServer: Transport, @unchecked Sendable {
    /// What goes wrong with a request.
    public enum Fault: Sendable, Equatable {
        /// There is no network: nothing reaches the server.
        case offline
        /// The server processes the request, but its response is lost.
        case lostResponse
        /// The server refuses the request with this status and does not process it, for example with 401 or 503, or with 409 and
        /// `retryAfter` for a film that is being converted.
        case status(Int, retryAfter: Int? = nil)
        /// The server responds after this time.
        case slow(Duration)
    }

    /// The URL that clients of this server use.
    public static let url = URL(string: "https://keepsake.invalid")!

    /// Whether clients can open WebSockets. Without WebSockets, live events are polled, and captures cannot be sent.
    public let hasSockets: Bool

    private struct InjectedFault {
        let fault: Fault
        var times: Int
        let matches: @Sendable (HTTPRequest) -> Bool
    }

    /// The most requests that `requests` keeps.
    private static let requestLimit = 1_000
    /// How often an open poll or socket checks for new events.
    private static let look: Duration = .milliseconds(5)

    private let lock = NSLock()
    private var state = FakeState()
    private var faults: [InjectedFault] = []
    private var log: [HTTPRequest] = []
    private var offset: TimeInterval = 0
    /// A number that increases each time all connections are dropped.
    private var epoch = 0

    public init(hasSockets: Bool = true) { self.hasSockets = hasSockets }

    /// Makes a client of this server. Its waits between attempts are only milliseconds.
    public func client(tokens: any TokenStore = MemoryTokenStore()) -> Keepsake {
        Keepsake(
            url: Self.url, tokens: tokens, transport: self, clock: clock,
            retries: RetryPolicy(firstWait: .milliseconds(2), longestWait: .milliseconds(20)), signals: .none)
    }

    // MARK: Time

    /// The server's time: the device's time plus the durations passed to `advance`.
    public var now: Date { lock.withLock { time } }

    private var time: Date { Date(timeIntervalSinceNow: offset) }

    /// Moves the server's time forward, for example by an hour, so that access tokens expire.
    public func advance(by duration: Duration) {
        let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        lock.withLock { offset += seconds }
    }

    /// A clock for a client. It shows the server's time.
    public var clock: KeepsakeClock {
        let start = ContinuousClock.now
        return KeepsakeClock(
            now: { [self] in now }, uptime: { ContinuousClock.now - start }, sleep: { try await Task.sleep(for: $0) })
    }

    // MARK: Faults

    /// Makes requests fail. If several faults match a request, the one injected first applies. `.offline` also drops open connections.
    /// - Parameters:
    ///   - times: the number of requests that fail; by default all until `clearFaults`.
    ///   - matches: which requests; by default all.
    public func inject(_ fault: Fault, times: Int = .max, where matches: @escaping @Sendable (HTTPRequest) -> Bool = { _ in true }) {
        lock.withLock {
            faults.append(InjectedFault(fault: fault, times: times, matches: matches))
            if fault == .offline { epoch += 1 }
        }
    }

    public func clearFaults() { lock.withLock { faults = [] } }

    /// Ends all open sockets and polls, as a change of the network does.
    public func dropConnections() { lock.withLock { epoch += 1 } }

    /// The last 1,000 requests that the client sent, even those that a fault stopped, oldest first, with their credentials.
    public var requests: [HTTPRequest] { lock.withLock { log } }

    // MARK: What an operator or another device does

    /// Ends all sessions of an account: the server refuses its tokens from now on.
    public func endSessions(of userID: String) { lock.withLock { _ = state.endSessions(of: userID, keeping: nil) } }

    /// Gives an account a verified phone number, in E.164 format. Contacts and invitations use it.
    public func setPhone(_ phone: String?, of userID: String) { lock.withLock { state.accounts[userID]?.phone = phone } }

    /// Whether an account may create coves; by default it may.
    public func setVerified(_ isVerified: Bool, of userID: String) { lock.withLock { state.accounts[userID]?.isVerified = isVerified } }

    /// Sets the transcript of all capsules and recordings of captures from now on. `nil`, the default, means that their transcription
    /// fails.
    public func setTranscript(_ text: String?) { lock.withLock { state.transcript = text } }

    /// Sets the text of all answers in chats from now on.
    public func setChatAnswer(_ text: String) { lock.withLock { state.chatAnswer = text } }

    /// Adds a person whom captures mention.
    /// - Returns: the contact's id.
    @discardableResult
    public func addKnownContact(_ name: String, mentionedIn captureIDs: [String] = [], of userID: String) -> String {
        lock.withLock { state.addContact(name, captureIDs, userID, time).id }
    }

    /// Adds an event to an account's log, as any change does.
    public func emit(_ type: String, _ data: JSONValue = .object([:]), to userID: String) {
        lock.withLock { state.emit(type, data, to: userID, time) }
    }

    /// Deletes an account's events so far, as the real server does after 7 days. A client that asks for them gets a reset.
    public func forgetEvents(of userID: String) { lock.withLock { state.logs[userID]?.events = [] } }

    // MARK: Transport

    public func send(
        _ request: HTTPRequest, body: RequestBody, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse {
        let content: Data
        switch body {
        case .none: content = Data()
        case .data(let data): content = data
        case .file(let url): content = try Data(contentsOf: url)
        }
        let losesResponse: Bool
        switch try await begin(request, timeout) {
        case .refused(let response): return response
        case .passes(let loses): losesResponse = loses
        }
        progress?(1)
        var response = lock.withLock { FakeRoutes.all.respond(to: request, content, &state, time) }
        if request.method == .get, request.path?.prefix(while: { $0 != "?" }) == "/events", response.head.status == .ok {
            response = try await poll(request, response, timeout)
        }
        if losesResponse { throw KeepsakeError(.network, "The connection broke before the response arrived.") }
        return response
    }

    public func download(
        _ request: HTTPRequest, to file: URL, timeout: Duration, progress: TransportProgress?
    ) async throws -> TransportResponse {
        var response = try await send(request, body: .none, timeout: timeout, progress: nil)
        guard 200..<300 ~= response.head.status.code else { return response }
        try response.body.write(to: file, options: .atomic)
        progress?(1)
        response.body = Data()
        return response
    }

    public func connect(_ request: HTTPRequest, timeout: Duration) async throws -> TransportConnection {
        guard hasSockets else { throw KeepsakeError(.unsupported, "This fake server has no WebSockets.") }
        if case .refused(let response) = try await begin(request, timeout) { return .refused(response) }
        return lock.withLock {
            switch FakeRoutes.all.open(request, &state, time) {
            case .success(let opening): .open(FakeSocket(self, opening, epoch))
            case .failure(let refusal): .refused(refusal.response(.captures, time))
            }
        }
    }

    /// Streams an answer of a chat word by word.
    public func stream(_ request: HTTPRequest, body: RequestBody, timeout: Duration) async throws -> TransportStream {
        let began = lock.withLock { epoch }
        let response = try await send(request, body: body, timeout: timeout, progress: nil)
        let rest = FakeEvents(response, to: request)
        return TransportStream(
            head: rest.head,
            body: AsyncThrowingStream(unfolding: { [self] in
                try await sleep(Self.look)
                guard lock.withLock({ epoch }) == began else { throw KeepsakeError(.network, "The connection broke.") }
                return rest.next()
            }))
    }

    private enum Beginning {
        case refused(TransportResponse)
        case passes(losesResponse: Bool)
    }

    /// Records the request, and applies the fault that was injected for it.
    private func begin(_ request: HTTPRequest, _ timeout: Duration) async throws -> Beginning {
        try checkCancellation()
        guard timeout > .zero else { throw KeepsakeError(.timeout, "The request took too long.") }
        let fault = lock.withLock { () -> Fault? in
            log.append(request)
            if log.count > Self.requestLimit { log.removeFirst() }
            guard let index = faults.firstIndex(where: { $0.times > 0 && $0.matches(request) }) else { return nil }
            faults[index].times -= 1
            return faults[index].fault
        }
        switch fault {
        case nil: return .passes(losesResponse: false)
        case .offline: throw KeepsakeError(.network, "There is no network.")
        case .lostResponse: return .passes(losesResponse: true)
        case .slow(let duration):
            try await sleep(min(duration, timeout))
            if duration >= timeout { throw KeepsakeError(.timeout, "The server did not respond in time.") }
            return .passes(losesResponse: false)
        case .status(let code, let retryAfter):
            let surface = FakeRoutes.all.surface(of: request)
            var response = FakeProblem(code, "The test injected this refusal.").response(surface, now)
            if let retryAfter { response.head.headerFields[.retryAfter] = String(retryAfter) }
            return .refused(response)
        }
    }

    /// Waits until there is an event, or the time that the request names has passed.
    private func poll(_ request: HTTPRequest, _ first: TransportResponse, _ timeout: Duration) async throws -> TransportResponse {
        let began = lock.withLock { epoch }
        let query = FakeRoutes.query(of: request)
        let wait = min(timeout, .seconds(query["wait"].flatMap { Int($0) } ?? 25))
        let end = ContinuousClock.now + wait
        var response = first
        while ContinuousClock.now < end, query["since"] != nil, Self.isEmpty(response) {
            try await sleep(Self.look)
            response = try lock.withLock {
                guard epoch == began else { throw KeepsakeError(.network, "The connection broke.") }
                return FakeRoutes.all.respond(to: request, Data(), &state, time)
            }
        }
        return response
    }

    private static func isEmpty(_ response: TransportResponse) -> Bool {
        guard response.head.status == .ok, let page = try? Surface.captures.makeDecoder().decode(EventPage.self, from: response.body)
        else { return false }
        return page.items.isEmpty && !page.reset
    }

    private func checkCancellation() throws {
        if Task.isCancelled { throw KeepsakeError(.cancelled, "The call was cancelled.") }
    }

    private func sleep(_ duration: Duration) async throws {
        do { try await Task.sleep(for: duration) } catch { throw KeepsakeError(.cancelled, "The call was cancelled.") }
    }

    // MARK: Sockets

    /// The next message of a socket.
    /// - Throws: `network` once the socket has ended.
    func next(_ socket: FakeSocket) async throws -> String {
        while true {
            try checkCancellation()
            let text = try lock.withLock { () -> String? in
                guard !socket.isClosed, epoch == socket.epoch, state.isLive(socket.opening.session) else { throw FakeSocket.ended }
                return state.nextMessage(socket)
            }
            if let text { return text }
            try await sleep(Self.look)
        }
    }

    func take(_ text: String, from socket: FakeSocket) throws {
        try lock.withLock {
            guard !socket.isClosed, epoch == socket.epoch, state.isLive(socket.opening.session) else { throw FakeSocket.ended }
            guard !faults.contains(where: { $0.fault == .offline && $0.times > 0 }) else { throw FakeSocket.ended }
            if case .captures = socket.opening.kind { socket.replies.append(state.takeCapture(text, socket.opening.user, time)) }
        }
    }
}
