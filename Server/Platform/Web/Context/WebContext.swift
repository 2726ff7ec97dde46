package import Core
package import HTTPServer
import HTTPTypes
package import Hummingbird
package import KeepsakeWire
import NIOCore
import NIOHTTPTypes
import Synchronization

/// What a request carries on its way in: who asks, on which connection, under which id.
package struct WebContext: RequestContext, Sendable {
    package var coreContext: CoreRequestContextStorage
    package let channel: any Channel
    /// Set by `Authenticate`; `nil` on open routes and for a signed link.
    package internal(set) var viewer: Viewer?
    /// Whether the viewer was told by the session cookie, which a browser sends by itself.
    package internal(set) var isByCookie = false
    /// The signed link the request came by, instead of a credential.
    package internal(set) var link: SignedLinks.Grant?
    /// This creation's claim on its `Idempotency-Key`.
    package internal(set) var idempotency = IdempotencyClaim.none
    /// The request's fields; set with the route.
    var fields = HTTPFields()
    /// What the device kept of its last sign-in, on requests that sign in. To be checked.
    package internal(set) var device: String?
    /// Where the client asks for another protocol and could get it; `nil` on every other request, and over HTTP/2.
    package let upgrade: ChannelUpgrade?
    /// Set by `ClientAddress`.
    private(set) var client: TrustedProxies.Client?
    /// The client's network; `nil` on a Unix socket.
    private var network: Network? { client?.address.network }
    /// Its place among the requests that are worked on.
    var place: AdmissionPlace?
    /// Has its answer sent, if that is a large one.
    var answers: AnswersInFlight?
    /// What bodies that arrive count against.
    var bodies: UnfinishedBodies?
    /// What counts requests; set with the route.
    var limiter: RateLimiter?
    /// Names the request in the log line and in `X-Request-Id`: 16 hexadecimal digits.
    let requestID: String
    /// Shared with the outer layers, which see the request before the route is known and after it is left.
    let record: RequestRecord

    package init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
        upgrade = ChannelUpgrade.current
        requestID = Hex.encode(withUnsafeBytes(of: UInt64.random(in: .min ... .max)) { Array($0) })
        record = RequestRecord()
    }

    /// Who asks, and so whose network's shares are used.
    mutating func setClient(_ client: TrustedProxies.Client) {
        self.client = client
        record.update { $0.network = client.address.network }
    }

    /// The request's `Accept`.
    package var accept: String? { fields[.accept] }
    /// The request's `User-Agent`: what a program says of itself, to be believed by nobody.
    package var userAgent: String? { fields[.userAgent] }

    /// Who asks: the address at the other end of the socket, or, when that is a trusted proxy's, the one it asks for. For example
    /// `127.0.0.1`; `nil` on a Unix socket.
    package var peerAddress: String? { client?.address.description ?? channel.remoteAddress?.ipAddress }

    /// Whose shares of the server's resources this request uses.
    package var requester: Requester { Requester(account: viewer?.accountID, network: network) }

    /// Whether the client's side speaks TLS, with us or with a trusted proxy.
    package var isSecure: Bool { client?.isSecure ?? Connection.current?.isSecure ?? false }

    /// For a request that waits for something to happen and does nothing meanwhile: gives its place to another.
    package func stepAside() { place?.leave() }

    /// Waits for something slow, such as a client that sends its body byte by byte or a picture in the media worker's queue, without a place
    /// among the requests that are worked on. Afterwards the request goes on before those that have not begun.
    /// - Throws: what `wait` throws; `.unavailable` when there is no place for too long afterwards.
    package func withoutPlace<T>(_ wait: () async throws -> T) async throws -> T {
        place?.leave()
        let value = try await wait()
        try await place?.takeAgain(channel.eventLoop)
        return value
    }

    /// Runs `work`, and cancels it when the client goes away.
    /// - Throws: what `work` throws, usually `CancellationError` after the client has gone.
    package func whileClientIsPresent<T: Sendable>(_ work: @escaping @Sendable () async throws -> T) async throws -> T {
        try await ClientPresence.whilePresent(work)
    }

    /// Counts an upload among the unfinished ones. Called before its client is told to send, and before anything of it is read.
    /// - Parameter link: the upload link it came by, instead of a credential.
    /// - Throws: `.tooManyRequests` when the link, the account or its network has too many, `.unavailable` when all have.
    func beginUpload(by link: UploadLink? = nil) throws -> UnfinishedBody? {
        var requester = requester
        if let link { requester.account = link.owner }
        return try bodies?.beginUpload(of: requester, link: link?.name)
    }

    /// The caller, where the endpoint's access promises one.
    /// - Throws: `.unauthenticated` when there is none.
    package func requireViewer() throws -> Viewer {
        guard let viewer else { throw Problem(.unauthenticated, "Sign in first: send Authorization: Bearer <access token>.") }
        return viewer
    }

    /// What somebody does with a name that they say is theirs.
    package enum NameUse: Sendable { case signingIn, registering, forgetting }

    /// Counts a use of `name` by the caller's network, whether there is such a name or not. Nobody else's uses count with it.
    /// - Parameter name: in the one spelling it is looked up under.
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

    /// Counts a try to sign in as `name` with all others, wherever they come from: against a guesser with many networks.
    /// - Parameter device: one that signed in to this account before is counted by itself, so that no stranger keeps it out.
    /// - Throws: `.tooManyRequests` with the time to wait.
    package func countTry(of name: String, by device: String?) async throws {
        try await limiter?.spend(.signIn, device.map { .device($0) } ?? .name(name))
    }

    /// Counts the request, by its account or else by the network it comes from. A handler counts what its route does not, for example
    /// the beginning of something costly.
    /// - Throws: `.tooManyRequests` with the time to wait.
    package func count(_ kind: RateClass) async throws {
        let subject: RateLimiter.Subject? = viewer.map { .account($0.accountID) } ?? network.map { .address($0) }
        guard let subject else { return }
        try await limiter?.spend(kind, subject)
    }

    /// Counts the request by the network it comes from: whoever has one address of an IPv6 /64 has all of it.
    func countAddress(_ kind: RateClass) async throws {
        if let network { try await limiter?.spend(kind, .address(network)) }
    }

    /// Tells a client that waits (RFC 9110 §10.1.1) to send its body. NIO and Hummingbird leave this to us; without it curl
    /// waits a second. Called after authentication, right before the body is read.
    func continueIfExpected(_ request: Request) async throws {
        guard let expectation = request.headers[.expect] else { return }
        guard expectation.lowercased() == "100-continue" else { return }
        try await channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue))).get()
    }
}

/// What is learnt about a request on the way, for the log line, the metrics, the dialect of an error, and whose shares its tasks use.
final class RequestRecord: RequesterSource {
    struct Facts {
        var surface: Surface?
        var network: Network?
        var accountID: String?
        /// Logged once, for the person who runs the server; never sent.
        var fault: String?
        /// An `Answer` sends its body.
        var isSentAsAnswer = false
        /// To be sent with the answer.
        var fields = HTTPFields()
    }

    private let facts = Mutex(Facts())

    func update(_ change: (inout Facts) -> Void) { facts.withLock { change(&$0) } }
    var current: Facts { facts.withLock { $0 } }
    /// To be sent with the answer.
    var fields: HTTPFields { facts.withLock { $0.fields } }
    var requester: Requester { facts.withLock { Requester(account: $0.accountID, network: $0.network) } }
}
