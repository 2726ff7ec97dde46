import Core
package import Database
package import HTTPServer
import HTTPTypes
package import Hummingbird
import HummingbirdCore
import KeepsakeWire
package import Logging
import NIOCore

/// The listening server: a port, its channels, and the middleware for every request.
package struct WebServer: Sendable {
    package let metrics: Metrics
    private let limits: ChannelLimits
    private let tls: TLSIdentity?
    private let proxies: TrustedProxies
    private let admission: Admission
    private let bodies: UnfinishedBodies
    private let readAhead: ReadAhead
    private let ledger: ConnectionLedger
    fileprivate let answers: AnswersInFlight
    private let longWork = LongWork()
    private let threads: (any WorkThreads)?
    private let explainFull: @Sendable (any Error) -> String
    /// The methods of each path. `Routes` sets them.
    package let methods = PathMethods()

    /// - Parameters:
    ///   - tls: the certificate and key; with them the port accepts only TLS. `nil` serves without TLS.
    ///   - threads: the threads that run handlers, usually the database's; `nil` for Swift's own pool.
    ///   - memory: the memory for bytes from and to clients, if sockets share it.
    ///   - folder: for temporary files of responses that have no room in memory; `nil` refuses these responses.
    ///   - explainFull: says for the log which disk is full, when `BlobError.full` or `DatabaseError.full` ends a request.
    package init(
        metrics: Metrics, limits: ChannelLimits = ChannelLimits(), tls: TLSIdentity? = nil, proxies: TrustedProxies = .none,
        threads: (any WorkThreads)? = nil, memory: ClientMemory? = nil, folder: String? = nil,
        explainFull: @escaping @Sendable (any Error) -> String = { "\($0)" }
    ) {
        self.threads = threads
        self.explainFull = explainFull
        self.metrics = metrics
        self.limits = limits
        self.tls = tls
        self.proxies = proxies
        admission = Admission(limits)
        let memory = memory ?? ClientMemory(limits)
        bodies = UnfinishedBodies(limits, received: memory.received)
        readAhead = ReadAhead(limits, received: memory.received)
        ledger = ConnectionLedger(limits: limits, proxies: proxies, isSecure: tls != nil)
        answers = AnswersInFlight(limits: limits, unsent: memory.unsent, folder: folder)
        addGauges()
    }

    /// The number of requests in progress.
    package var requestCount: Int { admission.inWorkCount }

    /// The threads that run handlers.
    private var workExecutor: any TaskExecutor { threads ?? globalConcurrentExecutor }

    /// A router with the outer steps: client address, browser headers, log, errors and admission.
    /// - Parameters:
    ///   - origins: the origins whose pages may read responses.
    ///   - surfaces: the surfaces whose dialects render errors when no route matches.
    package func makeRouter(
        origins: AllowedOrigins = AllowedOrigins(publicURL: { "" }), surfaces: PathSurfaces = PathSurfaces()
    ) -> Router<WebContext> {
        let router = Router(context: WebContext.self)
        router.add(
            middleware: RequestSteps(
                address: ClientAddress(proxies: proxies, metrics: metrics), origins: CrossOrigin(origins: origins),
                log: RequestLog(metrics: metrics), errors: ErrorBoundary(surfaces: surfaces, methods: methods, explainFull: explainFull),
                admission: AdmissionGate(
                    requests: admission, bodies: bodies, answers: answers, longWork: longWork, threads: threads)))
        return router
    }

    /// - Parameters:
    ///   - port: 0 chooses a free one; `onListening` receives the actual port.
    package func makeApplication(
        router: Router<WebContext>, host: String, port: Int, logger: Logger, onListening: @escaping @Sendable (Int) async -> Void
    ) -> some ApplicationProtocol {
        let responder = router.buildResponder()
        return Application(
            responder: responder,
            // Without a well-formed head there is no route, so the refusal is rendered as surface 4's JSON.
            server: .connections(
                limits: limits, tls: tls, ledger: ledger, readAhead: readAhead, threads: workExecutor,
                respond: { await Self.respond(to: $0, on: $1, responder, logger) }, refusal: { Dialect.of(.capsules).response($0) }),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: nil, backlog: 4_096),
            onServerRunning: { [limits] channel in
                // If this fails, the listener is closed already.
                try? await channel.setOption(.maxMessagesPerRead, value: limits.acceptCount).get()
                await onListening(channel.localAddress?.port ?? port)
            },
            logger: logger)
    }

    private static func respond(
        to request: Request, on channel: any Channel, _ responder: RouterResponder<WebContext>, _ logger: Logger
    ) async -> Response {
        var response: Response
        do {
            let source = ApplicationRequestContextSource(channel: channel, logger: logger)
            response = try await responder.respond(to: request, context: WebContext(source: source))
        } catch {
            // `RequestSteps` turns every error into a response.
            logger.error("an error passed all error handlers; the request got status 500", metadata: ["error": "\(type(of: error))"])
            response = Response(status: .internalServerError)
        }
        response.headers.add(HTTPField(name: .date, value: HTTPDate.now))
        return response
    }

    private func addGauges() {
        addAnswerGauges()
        let (admission, bodies, readAhead, ledger, longWork) = (admission, bodies, readAhead, ledger, longWork)
        metrics.gauge("keepsake_connections", help: "Open connections.") { Double(ledger.connectionCount) }
        metrics.counter("keepsake_connections_refused_total", help: "Connections refused: too many in all or of one address.") {
            Double(ledger.refusedCount)
        }
        metrics.counter("keepsake_connections_closed_total", help: "Connections without a request that were closed for new ones.") {
            Double(ledger.closedCount)
        }
        metrics.gauge("keepsake_requests_in_work", help: "Requests in progress.") { Double(admission.inWorkCount) }
        metrics.gauge("keepsake_uploads_in_work", help: "Uploads in progress.") { Double(bodies.uploadCount) }
        metrics.gauge("keepsake_body_bytes", help: "Bytes of bodies in progress: all of a JSON body, at most 1 MiB of an upload.") {
            Double(bodies.byteCount)
        }
        metrics.counter("keepsake_bodies_refused_total", help: "Requests refused because too many bodies were in progress.") {
            Double(bodies.refusedCount)
        }
        metrics.gauge("keepsake_read_ahead_bytes", help: "Bytes buffered for bodies that arrive faster than handlers read.") {
            Double(readAhead.held)
        }
        metrics.gauge("keepsake_requests_waiting", help: "Requests that wait for a slot.") {
            Double(admission.waitingCount)
        }
        metrics.gauge("keepsake_long_work_waiting", help: "Requests that wait for their turn to make a long response.") {
            Double(longWork.counts.waiting)
        }
        if let threads {
            metrics.gauge("keepsake_requests_waiting_for_thread", help: "Requests that wait for a thread that may read the database.") {
                Double(threads.backlog)
            }
        }
        metrics.counter("keepsake_requests_refused_total", help: "Requests answered 503 because there were too many.") {
            Double(admission.refusedCount)
        }
    }
}

extension WebServer {
    fileprivate func addAnswerGauges() {
        let answers = answers
        metrics.gauge("keepsake_answers_in_flight", help: "Files, archives and long responses not yet read to the end.") {
            Double(answers.count)
        }
        metrics.gauge("keepsake_answer_bytes", help: "Bytes of memory that unfinished responses hold.") {
            Double(answers.byteCount)
        }
        metrics.gauge("keepsake_answer_disk_bytes", help: "Bytes on the disk of unfinished responses that had no room in memory.") {
            Double(answers.storedByteCount)
        }
        metrics.gauge("keepsake_answer_unsent_bytes", help: "Bytes that the kernel may hold for connections that read files quickly.") {
            Double(answers.unsentByteCount)
        }
        metrics.gauge("keepsake_answers_short", help: "Responses limited to pieces of 4 KiB because their memory is used up.") {
            Double(answers.shortCount)
        }
        metrics.counter("keepsake_answers_refused_total", help: "Responses and streams refused: too many unfinished.") {
            Double(answers.refusedCount)
        }
        metrics.gauge("keepsake_http2_streams", help: "Open HTTP/2 streams.") { Double(answers.streamCount) }
    }
}
