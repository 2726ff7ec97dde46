internal import Connections
internal import Core
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS

/// Sends mails to an SMTP server, each on its own connection, since mails are rare.
package struct SMTPClient: Sendable {
    package let settings: SMTPSettings
    private let context: NIOSSLContext?

    /// - Throws: `SMTPFailure.permanent` when the certificates to trust cannot be read.
    package init(_ settings: SMTPSettings) throws {
        self.settings = settings
        guard settings.address.security != .off else {
            context = nil
            return
        }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        if let authorities = settings.authorities { configuration.trustRoots = .file(authorities) }
        do {
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw SMTPFailure.permanent("the certificates to trust cannot be read as PEM")
        }
    }

    /// Sends a mail. Returns when the server has accepted it. If the connection fails before the reply, the server may have accepted the
    /// mail anyway.
    /// - Throws: `SMTPFailure`; `CancellationError` when the task is cancelled, which closes the connection.
    package func send(_ message: MailMessage) async throws { try await converse(message) }

    /// Connects, negotiates TLS and signs in, but sends no mail.
    /// - Throws: the errors of `send`.
    package func probe() async throws { try await converse(nil) }

    private func converse(_ message: MailMessage?) async throws {
        let (settings, context) = (settings, context)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: Void.self)
        let end = NIODeadline.now() + TimeAmount(settings.conversation)
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(TimeAmount(settings.timeout)).channelOption(.autoRead, value: false)
        let channel: any Channel
        do {
            // Do not add handlers in the bootstrap: for a host with several addresses it tries several channels. Add them before the first
            // read, since the greeting may have arrived already.
            channel = try await bootstrap.connect(host: settings.address.host, port: settings.address.port).flatMapThrowing { channel in
                // Some servers close the connection of a rejected client before the greeting.
                guard channel.isActive else { throw SMTPFailure.temporary("the mail server closed the connection before the greeting") }
                let handler = SMTPHandler(message, settings, context, promise, end: end)
                if settings.address.security == .implicit {
                    try channel.pipeline.syncOperations.addHandler(SMTPHandler.tls(context, settings.address.host))
                }
                try channel.pipeline.syncOperations.addHandler(handler)
                channel.read()
                // This fails if the read found the connection closed, which the handler knows already.
                try? channel.syncOptions?.setOption(.autoRead, value: true)
                return channel
            }.get()
        } catch {
            // The handler completes the promise, but without a connection there is no handler, so it is completed here.
            promise.fail(error)
            throw error as? SMTPFailure ?? Self.unreachable(error, settings.address)
        }
        try await withTaskCancellationHandler {
            do {
                try await promise.futureResult.get()
            } catch {
                try Task.checkCancellation()
                throw error as? SMTPFailure ?? SMTPHandler.lost(error, settings.address)
            }
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}

extension SMTPClient {
    private static func unreachable(_ error: any Error, _ address: SMTPAddress) -> SMTPFailure {
        let fault = ConnectionFault(error).text(advice: "check that it runs, and the address in KEEPSAKE_SMTP")
        return .temporary("no connection to the mail server \(address.place): \(fault)")
    }
}

/// Passes bytes between a session and its socket, and enforces the timeouts.
final class SMTPHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var session: SMTPSession
    private var reader = SMTPReplyReader()
    private let settings: SMTPSettings
    private let tls: NIOSSLContext?
    private var promise: EventLoopPromise<Void>?
    private var alarm: Scheduled<Void>?
    private let conversationEnd: NIODeadline

    /// - Parameter end: the time by which the mail server must have received the whole mail.
    init(
        _ message: MailMessage?, _ settings: SMTPSettings, _ tls: NIOSSLContext?, _ promise: EventLoopPromise<Void>, end: NIODeadline
    ) {
        session = SMTPSession(message, settings)
        self.settings = settings
        self.tls = tls
        self.promise = promise
        conversationEnd = end
    }

    /// A TLS handler that requires a certificate for `host`, which is a name or an IP address.
    static func tls(_ context: NIOSSLContext?, _ host: String) throws -> NIOSSLClientHandler {
        guard let context else { throw SMTPFailure.permanent("TLS is not configured") }
        // SNI does not allow IP addresses (RFC 6066 §3); the certificate is still verified against the address.
        let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : host)
    }

    func handlerAdded(context: ChannelHandlerContext) { wait(context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        do {
            let replies = try reader.receive(bytes.readableBytesView)
            for (index, reply) in replies.enumerated() {
                let action = session.receive(reply)
                // Plaintext after the reply to STARTTLS was injected by an attacker on the network (CVE-2011-0411).
                if action == .startTLS, index + 1 < replies.count || reader.isInside {
                    return end(context, .failure(SMTPFailure.temporary("the mail server spoke before the TLS handshake")))
                }
                perform(action, context)
                if promise == nil { return }
            }
        } catch {
            end(context, .failure(error))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted? = event as? TLSUserEvent, settings.address.security == .startTLS {
            perform(session.secured(), context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(context, .failure(SMTPFailure.temporary("the mail server hung up instead of answering \(session.stage)")))
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let isTLS = error is NIOSSLError || error is NIOSSLExtraError || error is BoringSSLError
        end(context, .failure(isTLS ? Self.untrusted(error, settings.address) : Self.lost(error, settings.address)))
    }

    private static func untrusted(_ error: any Error, _ address: SMTPAddress) -> SMTPFailure {
        .temporary(
            """
            the TLS handshake with the mail server \(address.place) failed: its certificate is not trusted or for another host, or the \
            port speaks no TLS; check KEEPSAKE_SMTP and KEEPSAKE_SMTP_CA (\("\(error)".prefix(300)))
            """)
    }

    static func lost(_ error: any Error, _ address: SMTPAddress) -> SMTPFailure {
        .temporary("the connection to the mail server \(address.place) was lost (\(ConnectionFault(error).words))")
    }

    private func perform(_ action: SMTPSession.Action, _ context: ChannelHandlerContext) {
        switch action {
        case .send(let bytes):
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil)
            wait(context)
        case .startTLS:
            do {
                try context.pipeline.syncOperations.addHandler(Self.tls(tls, settings.address.host), position: .first)
                wait(context)
            } catch {
                end(context, .failure(Self.untrusted(error, settings.address)))
            }
        case .done: end(context, .success(()))
        case .fail(let failure): end(context, .failure(failure))
        }
    }

    private func wait(_ context: ChannelHandlerContext) {
        alarm?.cancel()
        let replyEnd = NIODeadline.now() + TimeAmount(settings.timeout)
        let isReplyTimeout = session.awaitsEndOfMail || replyEnd <= conversationEnd
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        alarm = context.eventLoop.scheduleTask(deadline: isReplyTimeout ? replyEnd : conversationEnd) {
            let (handler, context) = bound.value
            let settings = handler.settings
            let limit = isReplyTimeout ? "in \(settings.timeout)" : "before the conversation had lasted \(settings.conversation)"
            handler.end(context, .failure(SMTPFailure.temporary("the mail server did not answer \(handler.session.stage) \(limit)")))
        }
    }

    private func end(_ context: ChannelHandlerContext, _ result: Result<Void, any Error>) {
        guard let promise else { return }
        self.promise = nil
        alarm?.cancel()
        promise.completeWith(result)
        // The mail is accepted or refused by now, so do not wait for the reply to QUIT.
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "QUIT\r\n"))).whenComplete { _ in channel.close(promise: nil) }
    }
}
