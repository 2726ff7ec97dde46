package import Core
import Database
package import HTTPServer
import HTTPTypes
package import Hummingbird
package import KeepsakeWire
import NIOCore
import NIOHTTPTypes
import Synchronization

/// What the server knows of a request: its caller, its connection and its id.
package struct WebContext: RequestContext, Sendable {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel
    /// The authenticated caller, set by `Authentication`; `nil` on open routes and for a signed link.
    package internal(set) var viewer: Viewer?
    /// The viewer's session; set with the route.
    var session: SessionCheck?
    /// Whether the session cookie authenticated the viewer. A browser sends that cookie by itself.
    package internal(set) var isByCookie = false
    /// The signed link that the request used instead of a credential.
    package internal(set) var link: SignedLinks.Grant?
    /// The claim of this request, which creates something, on its `Idempotency-Key`.
    package internal(set) var idempotency = IdempotencyClaim.none
    /// The request's header fields; set with the route.
    var fields = HTTPFields()
    /// The value of the device cookie, on requests that sign in. Nothing has verified it yet.
    package internal(set) var device: String?
    /// The connection that the request arrived on; `nil` outside of a server.
    let connection: Connection?
    /// The threads that run handlers; `nil` for Swift's own pool.
    var threads: (any WorkThreads)?
    /// The upgrade, if the client asks for another protocol and the connection supports it; `nil` on every other request, and over HTTP/2.
    package let upgrade: ChannelUpgrade?
    /// The client, as `ClientAddress` has determined it.
    private(set) var client: TrustedProxies.Client?
    /// The client's network; `nil` on a Unix socket.
    private var network: Network? { client?.address.network }
    /// The request's admission slot.
    var slot: AdmissionSlot?
    /// Sends the response if it is long.
    var answers: AnswersInFlight?
    /// The budget for request bodies that are arriving.
    var bodies: UnfinishedBodies?
    /// Turns for work that takes long; `nil` outside of a server.
    var longWork: LongWork?
    /// The rate limiter; set with the route.
    var limiter: RateLimiter?
    /// Identifies the request in the log and in `X-Request-Id`: 16 hexadecimal digits.
    let requestID: String
    /// The facts of the request. They are shared with the outer middleware, which runs before the route is known and after its handler has
    /// returned.
    let record: RequestRecord

    package init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        connection = Connection.current
        upgrade = ChannelUpgrade.current
        requestID = RequestIDs.next()
        record = RequestRecord()
    }

    /// Sets the client. The request then uses the shares of the client's network.
    mutating func setClient(_ client: TrustedProxies.Client) {
        self.client = client
        record.update { $0.network = client.address.network }
    }

    /// The request's `Accept`.
    package var accept: String? { fields[.accept] }
    /// The request's `User-Agent`. The client can send anything; do not rely on it.
    package var userAgent: String? { fields[.userAgent] }

    /// The client's address, for example `127.0.0.1`: the peer's, or the one that a trusted proxy forwards. `nil` on a Unix socket.
    package var peerAddress: String? { client?.address.description ?? channel.remoteAddress?.ipAddress }

    /// The account and network whose shares of the server's resources this request uses.
    package var requester: Requester { Requester(account: viewer?.accountID, network: network) }

    /// Whether the client uses TLS, to this server or to a trusted proxy.
    package var isSecure: Bool { client?.isSecure ?? connection?.isSecure ?? false }

    /// Releases the admission slot. Call it when the request only waits from now on.
    package func stepAside() { slot?.leave() }

    /// Runs `wait` without an admission slot. Use it for something slow, such as a client that sends its body byte by byte, or a picture in
    /// the media worker's queue. Afterwards the request goes before those that have not begun. If it holds a turn then, for which others
    /// wait, it has a slot at once, even beyond the limits; turns are few. The wait may take long, so the session is checked again.
    /// - Throws: the errors of `wait` and of `requireLiveSession`; `.unavailable` when no slot becomes free in time afterwards.
    package func withoutSlot<T>(_ wait: () async throws -> T) async throws -> T {
        slot?.leave()
        let value = try await wait()
        if Requester.holdsTurn { slot?.reacquireAtOnce() } else { try await slot?.reacquire(channel.eventLoop) }
        try await requireLiveSession()
        return value
    }

    /// Runs `work` on the threads that run handlers, in the turns of its account and network. Requests begin on their connection's event
    /// loop, where nothing may wait for a disk or compute for a long time.
    /// - Throws: the errors of `work`; `RequestInterrupted` when nobody waits for the response any more. Then `work` does not begin.
    func onThreads<T: Sendable>(_ work: () async throws -> T) async throws -> T {
        try await withTaskExecutorPreference(threads?.executor(for: record) ?? globalConcurrentExecutor) {
            guard !isAbandoned else { throw RequestInterrupted() }
            return try await work()
        }
    }

    /// Whether the client has reset the request's HTTP/2 stream or closed its connection. An HTTP/1.1 client may close its sending side and
    /// still wait for the response.
    var isAbandoned: Bool { connection?.isHTTP2 == true && ClientPresence.current?.isGone == true }

    /// Runs `work`, and cancels it when the client disconnects.
    /// - Throws: the errors of `work`; usually `CancellationError` after the client has disconnected.
    package func whileClientIsPresent<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
        try await ClientPresence.whilePresent(work)
    }

    /// Counts an upload among the unfinished ones. Call it before the server tells the client to send the body, and before it reads any of
    /// it.
    /// - Parameter link: the upload link that the request used instead of a credential.
    /// - Throws: `.tooManyRequests` when the link, the account or its network has too many; `.unavailable` when there are too many in
    ///   total.
    func beginUpload(by link: UploadLink? = nil) throws -> UnfinishedBody? {
        var requester = requester
        if let link { requester.account = link.owner }
        return try bodies?.beginUpload(of: requester, link: link?.name)
    }

    /// The caller. Use it where the endpoint requires one.
    /// - Throws: `.unauthenticated` when there is none.
    package func requireViewer() throws -> Viewer {
        guard let viewer else { throw Problem.signInFirst }
        return viewer
    }

    /// What a caller does with an account name or address that it has not proved to be its own.
    package enum NameUse: Sendable { case signingIn, registering, forgetting }

    /// Counts a use of `name` by the caller's network, whether an account of this name exists or not. Uses by other networks count
    /// separately.
    /// - Parameter name: the normalized name, as the account is looked up.
    /// - Throws: `.tooManyRequests` with the time to wait.
    package func count(_ use: NameUse, of name: String) async throws {
        let subject: RateLimiter.Subject =
            switch use {
            case .signingIn: .triedFrom(network, name: name)
            case .registering: .registeredFrom(network, name: name)
            case .forgetting: .forgottenFrom(network, name: name)
            }
        try await limiter?.spend(.signIn, subject)
    }

    /// Counts an attempt to sign in as `name`, from all networks together. This limits an attacker with many networks.
    /// - Parameter device: a device that has signed in to this account before. It has a limit of its own, so that strangers cannot lock it
    ///   out.
    /// - Throws: `.tooManyRequests` with the time to wait.
    package func countAttempt(of name: String, by device: String?) async throws {
        try await limiter?.spend(.signIn, device.map { .device($0) } ?? .name(name))
    }

    /// Counts the request, by its account, or by its network if it has none. A handler calls this for what its route does not count, for
    /// example the start of something costly.
    /// - Throws: `.tooManyRequests` with the time to wait.
    package func count(_ kind: RateClass) async throws {
        let subject: RateLimiter.Subject? = viewer.map { .account($0.accountID) } ?? network.map { .address($0) }
        guard let subject else { return }
        try await limiter?.spend(kind, subject)
    }

    /// Waits until the viewer's account may send one more message, and counts the message. Use it for messages of a socket: the server then
    /// reads more slowly from a client that sends too fast.
    package func pace(_ kind: RateClass) async throws {
        guard let limiter, let viewer else { return }
        try await limiter.wait(kind, .account(viewer.accountID))
    }

    /// Counts the request by its network. For IPv6 that is the /64, because a client that has one address of a /64 can use all of them.
    func countAddress(_ kind: RateClass) async throws {
        if let network { try await limiter?.spend(kind, .address(network)) }
    }

    /// Sends `100 Continue` to a client that waits for it (RFC 9110 §10.1.1). NIO and Hummingbird do not send it; without it curl waits a
    /// second. Called after authentication, right before the body is read.
    func continueIfExpected(_ request: Request) async throws {
        guard let expectation = request.headers[.expect] else { return }
        // Changing the case of a long value would take half a millisecond.
        guard expectation.utf8.count <= 16, expectation.lowercased() == "100-continue" else { return }
        try await channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue))).get()
    }
}

/// What the server learns about a request while it processes it: for the log, the metrics, the dialect of an error, and the budgets that
/// its tasks use.
final class RequestRecord: RequesterSource {
    struct Facts {
        var surface: Surface?
        var network: Network?
        var accountID: String?
        /// What went wrong, for the operator. It is logged once and never sent to the client.
        var fault: String?
        /// Whether an `Answer` sends the response's body.
        var isSentAsAnswer = false
        /// Whether the body is a `BuiltInFile`, whose bytes are in memory anyway.
        var isBuiltIn = false
        /// Header fields to add to the response.
        var fields = HTTPFields()
        /// The turn in which the response is made.
        var turn: FairSemaphore.Permit?
        /// The share of the budget for a long head. It ends with the record, because whatever keeps the head keeps the record, too.
        var head: SharedBudget.Share?
        /// The share of the budget for a long body, which the handler still holds in memory.
        var body: UnfinishedBody?
        /// The share of the budget for bodies that the handler takes for the words of long texts.
        var texts: SharedBudget.Share?
        /// The slot of the long response that is being made.
        var answer: AnswersInFlight.Slot?
        /// See `PageSize.currentByteCount`.
        var pageByteCount = PageSize.byteCount
        /// The page that the response shows, if it shows one.
        var page: MadePage?
        /// Maximum length of the JSON of a page that can be shorter.
        var mostJSONByteCount = Int.max
    }

    let turns = HeldTurns()
    private let facts = Mutex(Facts())

    func update(_ change: (inout Facts) -> Void) { facts.withLock { change(&$0) } }
    var current: Facts { facts.withLock { $0 } }
    var surface: Surface? { facts.withLock { $0.surface } }
    /// Header fields to add to the response.
    var fields: HTTPFields { facts.withLock { $0.fields } }
    var requester: Requester { facts.withLock { Requester(account: $0.accountID, network: $0.network) } }

    var pageByteCount: Int64 { facts.withLock { $0.pageByteCount } }
    /// See `PageSize.mostJSONByteCount`.
    var mostJSONByteCount: Int {
        facts.withLock { facts in
            let most = facts.mostJSONByteCount
            guard let page = facts.page, page.mayBeShorter(than: facts.pageByteCount), page.mayExceed(most) else { return .max }
            return most
        }
    }

    /// Lowers the limit of the page that the response shows, because its JSON is too long. Releases the turn and the slot of the response,
    /// so that the response can be made again.
    /// - Returns: `false` if the page cannot be shorter. Then this changes nothing.
    func shortenPage(jsonByteCount: Int, most: Int) -> Bool {
        let held = facts.withLock { facts -> (turn: FairSemaphore.Permit?, answer: AnswersInFlight.Slot?)? in
            guard let limit = facts.page?.shorterLimit(than: facts.pageByteCount, jsonByteCount: jsonByteCount, most: most) else {
                return nil
            }
            defer { (facts.pageByteCount, facts.page, facts.turn, facts.answer) = (limit, nil, nil, nil) }
            return (turn: facts.turn, answer: facts.answer)
        }
        guard let held else { return false }
        held.turn?.release()
        held.answer?.release()
        return true
    }

    /// Releases the resources that the request holds until its response is made.
    func release() {
        let (turn, body, texts, answer) = facts.withLock { facts in
            defer { (facts.turn, facts.body, facts.texts, facts.answer) = (nil, nil, nil, nil) }
            return (facts.turn, facts.body, facts.texts, facts.answer)
        }
        texts?.release()
        turn?.release()
        body?.end()
        answer?.release()
    }

    /// The slot that the handler took for its response, if any. The caller is now responsible for the slot.
    func takeAnswer() -> AnswersInFlight.Slot? {
        facts.withLock { facts in
            defer { facts.answer = nil }
            return facts.answer
        }
    }
}
