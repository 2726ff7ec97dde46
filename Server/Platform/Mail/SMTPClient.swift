internal import Core
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import NIOTLS

/// Hands mails to a server, one connection each: they are few.
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

    /// Returns once the mail is the server's. When this fails by a lost answer the server may have it all the same.
    /// - Throws: `SMTPFailure`; `CancellationError` when its task is cancelled, and then the connection is closed.
    package func send(_ message: MailMessage) async throws { try await converse(message) }

    /// Connects, shakes hands and signs in, and sends nothing.
    /// - Throws: as `send`.
    package func probe() async throws { try await converse(nil) }

    private func converse(_ message: MailMessage?) async throws {
        let (settings, context) = (settings, context)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let promise = loop.makePromise(of: Void.self)
        let bootstrap = ClientBootstrap(group: loop).connectTimeout(TimeAmount(settings.timeout)).channelOption(.autoRead, value: false)
        let channel: any Channel
        do {
            // Not by the bootstrap: of a host with several addresses it tries several channels. Before anything is read: the greeting may be
            // there already.
            channel = try await bootstrap.connect(host: settings.address.host, port: settings.address.port).flatMapThrowing { channel in
                // Some servers hang up on whom they do not like before a word is said.
                guard channel.isActive else { throw SMTPFailure.temporary("the mail server hung up instead of answering the connection") }
                let handler = SMTPHandler(message, settings, context, promise)
                if settings.address.security == .implicit {
                    try channel.pipeline.syncOperations.addHandler(SMTPHandler.tls(context, settings.address.host))
                }
                try channel.pipeline.syncOperations.addHandler(handler)
                channel.read()
                // Fails where that has found the connection closed, of which the handler has heard.
                try? channel.syncOptions?.setOption(.autoRead, value: true)
                return channel
            }.get()
        } catch {
            // Only the handler of a connection that was made keeps it.
            promise.fail(error)
            throw error as? SMTPFailure ?? SMTPFailure.temporary("there is no connection to the mail server")
        }
        try await withTaskCancellationHandler {
            do {
                try await promise.futureResult.get()
            } catch {
                try Task.checkCancellation()
                throw error as? SMTPFailure ?? SMTPFailure.temporary("the connection to the mail server was lost")
            }
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}

/// Carries bytes between a session and its socket, and watches the clock.
final class SMTPHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private var session: SMTPSession
    private var reader = SMTPReplyReader()
    private let settings: SMTPSettings
    private let tls: NIOSSLContext?
    private var promise: EventLoopPromise<Void>?
    private var alarm: Scheduled<Void>?

    init(_ message: MailMessage?, _ settings: SMTPSettings, _ tls: NIOSSLContext?, _ promise: EventLoopPromise<Void>) {
        session = SMTPSession(message, settings)
        self.settings = settings
        self.tls = tls
        self.promise = promise
    }

    /// The server's certificate must be for `host`, name or address.
    static func tls(_ context: NIOSSLContext?, _ host: String) throws -> NIOSSLClientHandler {
        guard let context else { throw SMTPFailure.permanent("there is no TLS to speak") }
        // An address is no name to ask for (RFC 6066 §3); the certificate is compared with it all the same.
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
                // What came in the clear behind the answer to STARTTLS was written by whoever sits in between (CVE-2011-0411).
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
        end(
            context,
            .failure(
                SMTPFailure.temporary(
                    isTLS ? "the TLS handshake with the mail server failed" : "the connection to the mail server was lost")))
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
                end(context, .failure(SMTPFailure.temporary("the TLS handshake with the mail server failed")))
            }
        case .done: end(context, .success(()))
        case .fail(let failure): end(context, .failure(failure))
        }
    }

    private func wait(_ context: ChannelHandlerContext) {
        alarm?.cancel()
        let time = session.awaitsEndOfMail ? settings.timeout * 2 : settings.timeout
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        alarm = context.eventLoop.scheduleTask(in: TimeAmount(time)) {
            let (handler, context) = bound.value
            handler.end(context, .failure(SMTPFailure.temporary("the mail server did not answer \(handler.session.stage) in \(time)")))
        }
    }

    private func end(_ context: ChannelHandlerContext, _ result: Result<Void, any Error>) {
        guard let promise else { return }
        self.promise = nil
        alarm?.cancel()
        promise.completeWith(result)
        // The mail is sent or refused by now: nobody waits for the answer to this.
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "QUIT\r\n"))).whenComplete { _ in channel.close(promise: nil) }
    }
}
