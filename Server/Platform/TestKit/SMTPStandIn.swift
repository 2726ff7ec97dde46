internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import NIOSSL
internal import Synchronization

/// A mail server on loopback. It stores the messages it receives, records violations of the protocol, and misbehaves on demand.
package final class SMTPStandIn: Sendable {
    package struct Behaviour: Sendable {
        /// Paths of a certificate and its key in PEM; offers STARTTLS if set.
        package var tls: (certificate: String, key: String)?
        /// TLS from the first byte.
        package var isImplicit = false
        /// Mechanisms that AUTH offers. A client that does not authenticate is accepted anyway.
        package var mechanisms: [String] = []
        package var login = (user: "keepsake", password: "pass word=1")
        package var speaksUTF8 = false
        /// Replies by verb (`GREETING`, `EHLO`, `STARTTLS`, `AUTH`, `MAIL`, `RCPT`, `DATA`, `.`). Each is sent once, in place of the
        /// regular reply.
        package var answers: [String: [String]] = [:]
        /// The server stops replying at this verb.
        package var silentAt: String?
        /// The server closes the connection at this verb.
        package var hangsUpAt: String?
        /// Plain text that is sent directly after the reply to STARTTLS.
        package var behindSTARTTLS = ""
        /// How long the server waits before its reply to a verb, by the domain of the recipient, which is empty before RCPT. It must be
        /// zero for STARTTLS, because the server speaks TLS directly after that reply.
        package var delay: @Sendable (_ verb: String, _ domain: String) -> Duration = { _, _ in .zero }

        package init() {}
    }

    package struct Mail: Sendable {
        package let from: String
        package let to: [String]
        /// The message without dot-stuffing; lines end with `\n`.
        package let text: String
        package let isSecure: Bool
        package let user: String?
    }

    fileprivate struct State {
        var behaviour: Behaviour
        var mails: [Mail] = []
        var commands: [String] = []
        var violations: [String] = []
    }

    fileprivate let state: Mutex<State>
    private let listener: Mutex<(any Channel)?>
    package let port: Int

    /// Listens on a free port until `close`.
    package init(_ behaviour: Behaviour = Behaviour()) async throws {
        let box = Box()
        var tls: NIOSSLContext?
        if let files = behaviour.tls {
            tls = try NIOSSLContext(
                configuration: .makeServerConfiguration(
                    certificateChain: try NIOSSLCertificate.fromPEMFile(files.certificate).map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(file: files.key, format: .pem))))
        }
        let (context, isImplicit) = (tls, behaviour.isImplicit)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 512)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let server = box.server.withLock({ $0 }) else { return }
                    if isImplicit, let context { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context)) }
                    try channel.pipeline.syncOperations.addHandler(SMTPStandInHandler(server, context, isSecure: isImplicit))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        state = Mutex(State(behaviour: behaviour))
        listener = Mutex(channel)
        port = channel.localAddress?.port ?? 0
        box.server.withLock { $0 = self }
    }

    private final class Box: Sendable {
        let server = Mutex<SMTPStandIn?>(nil)
    }

    package func close() async throws { try await listener.withLock { $0 }?.close() }

    package var mails: [Mail] { state.withLock { $0.mails } }
    /// The commands received, without the data of AUTH.
    package var commands: [String] { state.withLock { $0.commands } }
    /// Violations of RFC 5321 by the client.
    package var violations: [String] { state.withLock { $0.violations } }

    /// Changes the behaviour from now on.
    package func behave(_ change: (inout Behaviour) -> Void) { state.withLock { change(&$0.behaviour) } }
}

private final class SMTPStandInHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Mode { case command, user, password, plain, data }

    private let server: SMTPStandIn
    private let tls: NIOSSLContext?
    private var isSecure: Bool
    private var mode = Mode.command
    private var pending: [UInt8] = []
    private var (helloed, user, name) = (false, String?.none, "")
    private var from: String?
    private var to: [String] = []
    private var lines: [String] = []
    private var isSilent = false

    init(_ server: SMTPStandIn, _ tls: NIOSSLContext?, isSecure: Bool) {
        self.server = server
        self.tls = tls
        self.isSecure = isSecure
    }

    private var behaviour: SMTPStandIn.Behaviour { server.state.withLock { $0.behaviour } }

    func channelActive(context: ChannelHandlerContext) { answer("GREETING", "220 stand-in.example.org", context) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        pending += unwrapInboundIn(data).readableBytesView
        while let end = pending.firstIndex(of: 0x0A) {
            var line = Array(pending[..<end])
            pending.removeFirst(end + 1)
            if line.popLast() != 0x0D { violate("a line ended without CR") }
            if line.contains(0x0D) { violate("a CR stood alone") }
            if line.count > 998 { violate("a line of \(line.count) bytes") }
            receive(String(decoding: line, as: UTF8.self), context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func violate(_ rule: String) { server.state.withLock { $0.violations.append(rule) } }

    private func receive(_ line: String, _ context: ChannelHandlerContext) {
        switch mode {
        case .data: return receiveText(line, context)
        case .user:
            name = plain(line)
            mode = .password
            return say("334 UGFzc3dvcmQ6", context)
        case .password: return check(name, plain(line), context)
        case .plain: return checkPlain(line, context)
        case .command: break
        }
        let words = line.split(separator: " ").map(String.init)
        let verb = words.first?.uppercased() ?? ""
        server.state.withLock { $0.commands.append(verb == "AUTH" ? words.prefix(2).joined(separator: " ") : line) }
        switch verb {
        case "EHLO": hello(context)
        case "STARTTLS": startTLS(context)
        case "AUTH":
            guard isOffered(words) else {
                answer("AUTH", "504 5.5.4 not offered", context)
                return
            }
            if words[1].uppercased() == "LOGIN" {
                mode = .user
                return say("334 VXNlcm5hbWU6", context)
            }
            if words.count > 2 { return checkPlain(words[2], context) }
            mode = .plain
            say("334 ", context)
        case "MAIL":
            if !helloed { violate("MAIL before EHLO") }
            (from, to) = (address(line), [])
            answer("MAIL", "250 2.1.0 ok", context)
        case "RCPT":
            if from == nil { violate("RCPT before MAIL") }
            to.append(address(line))
            answer("RCPT", "250 2.1.5 ok", context)
        case "DATA":
            if to.isEmpty { violate("DATA before RCPT") }
            if answer("DATA", "354 go on", context) { (mode, lines) = (.data, []) }
        case "QUIT":
            say("221 bye", context)
            context.close(promise: nil)
        default:
            violate("\(verb) is no command")
            say("500 5.5.1 what?", context)
        }
    }

    // MARK: Commands

    private func hello(_ context: ChannelHandlerContext) {
        helloed = true
        var words = ["stand-in.example.org", "8BITMIME"]
        if tls != nil, !isSecure { words.append("STARTTLS") }
        if !behaviour.mechanisms.isEmpty { words.append("AUTH " + behaviour.mechanisms.joined(separator: " ")) }
        if behaviour.speaksUTF8 { words.append("SMTPUTF8") }
        let text = words.enumerated().map { "250\($0 + 1 == words.count ? " " : "-")\($1)" }.joined(separator: "\r\n")
        answer("EHLO", text, context)
    }

    private func startTLS(_ context: ChannelHandlerContext) {
        guard let tls, answer("STARTTLS", "220 2.0.0 go", behind: behaviour.behindSTARTTLS, context) else { return }
        (isSecure, helloed) = (true, false)
        try? context.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls), position: .first)
    }

    private func isOffered(_ words: [String]) -> Bool { words.count > 1 && behaviour.mechanisms.contains(words[1].uppercased()) }

    private func checkPlain(_ text: String, _ context: ChannelHandlerContext) {
        let parts = plain(text).split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { return check("", "", context) }
        check(parts[1], parts[2], context)
    }

    private func check(_ user: String, _ password: String, _ context: ChannelHandlerContext) {
        mode = .command
        let isRight = (user, password) == (behaviour.login.user, behaviour.login.password)
        if answer("AUTH", isRight ? "235 2.7.0 welcome" : "535 5.7.8 \(user) may not", context) { self.user = user }
    }

    private func receiveText(_ line: String, _ context: ChannelHandlerContext) {
        guard line == "." else {
            lines.append(line.hasPrefix(".") ? String(line.dropFirst()) : line)
            return
        }
        mode = .command
        let mail = SMTPStandIn.Mail(
            from: from ?? "", to: to, text: lines.map { $0 + "\n" }.joined(), isSecure: isSecure, user: user)
        answer(".", "250 2.0.0 kept", keeping: mail, context)
        (from, to) = (nil, [])
    }

    // MARK: Answers

    /// - Returns: whether the reply is the regular one or another positive one.
    @discardableResult
    private func answer(
        _ verb: String, _ usual: String, behind: String = "", keeping mail: SMTPStandIn.Mail? = nil, _ context: ChannelHandlerContext
    ) -> Bool {
        let (text, isSilent, hangsUp) = server.state.withLock { state -> (String, Bool, Bool) in
            var text = usual
            if let first = state.behaviour.answers[verb]?.first {
                text = first
                state.behaviour.answers[verb]?.removeFirst()
            }
            let hangsUp = state.behaviour.hangsUpAt == verb
            // The mail is stored before the client receives the reply.
            if let mail, text.first == "2", !hangsUp { state.mails.append(mail) }
            return (text, state.behaviour.silentAt == verb, hangsUp)
        }
        if hangsUp {
            context.close(promise: nil)
            return false
        }
        self.isSilent = self.isSilent || isSilent
        let domain = to.last?.split(separator: "@").last.map(String.init) ?? ""
        say(text, behind: behind, after: behaviour.delay(verb, domain), context)
        return text.first == "2" || text.first == "3"
    }

    private func say(_ text: String, behind: String = "", after delay: Duration = .zero, _ context: ChannelHandlerContext) {
        guard !isSilent else { return }
        let bytes = ByteBuffer(string: text + "\r\n" + behind)
        guard delay > .zero else { return context.writeAndFlush(wrapOutboundOut(bytes), promise: nil) }
        // The client may hang up meanwhile; then the write fails, and nobody waits for it.
        let channel = context.channel
        context.eventLoop.scheduleTask(in: TimeAmount(delay)) { channel.writeAndFlush(bytes, promise: nil) }
    }

    private func plain(_ base64: String) -> String { Data(base64Encoded: base64).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    private func address(_ line: String) -> String {
        guard let open = line.firstIndex(of: "<"), let close = line.lastIndex(of: ">") else { return "" }
        return String(line[line.index(after: open)..<close])
    }
}
