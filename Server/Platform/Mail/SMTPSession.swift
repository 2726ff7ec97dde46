internal import Core
internal import Foundation

/// The SMTP session of one mail (RFC 5321, 3207, 4954, 6531) as a state machine: a reply goes in, the next action comes out.
struct SMTPSession: Sendable {
    enum Action: Sendable, Equatable {
        case send([UInt8])
        /// Perform the TLS handshake, then call `secured`.
        case startTLS
        /// The server has accepted the mail.
        case done
        case fail(SMTPFailure)
    }

    private enum State: Sendable {
        case greeting, hello, startTLS, handshake, login(Login), sender, recipient, data, text, over
    }

    private enum Login: Sendable {
        case plain, user, password
    }

    /// `nil` for a probe, which signs in but sends no mail.
    private let message: MailMessage?
    private let login: SMTPSettings.Login?
    private let hello: String
    private let wantsTLS: Bool
    private var isSecure: Bool
    private var state = State.greeting
    private var extensions: [String: Set<String>] = [:]

    init(_ message: MailMessage?, _ settings: SMTPSettings) {
        self.message = message
        login = settings.login
        hello = settings.hello
        wantsTLS = settings.address.security == .startTLS
        isSecure = settings.address.security == .implicit
    }

    /// The reply that the session waits for, for error messages.
    var stage: String {
        switch state {
        case .greeting: "the greeting"
        case .hello: "EHLO"
        case .startTLS: "STARTTLS"
        case .handshake: "the TLS handshake"
        case .login: "AUTH"
        case .sender: "MAIL"
        case .recipient: "RCPT"
        case .data: "DATA"
        case .text: "the end of the mail"
        case .over: "QUIT"
        }
    }

    var awaitsEndOfMail: Bool { if case .text = state { true } else { false } }

    mutating func receive(_ reply: SMTPReply) -> Action {
        switch (state, reply.code) {
        case (.greeting, 220): return greet()
        case (.hello, 250): return afterHello(reply)
        case (.startTLS, 220):
            state = .handshake
            return .startTLS
        case (.login(.plain), 235), (.login(.password), 235): return begin()
        case (.login(.user), 334): return ask(.password, login?.user ?? "")
        case (.login(.password), 334): return command(base64(login?.password.exposed ?? ""), .login(.password))
        case (.sender, 250): return command("RCPT TO:<\(message?.to.text ?? "")>", .recipient)
        // 251: the server forwards the mail.
        case (.recipient, 250), (.recipient, 251): return command("DATA", .data)
        case (.data, 354):
            state = .text
            return .send(Self.stuffed(message?.bytes ?? []))
        case (.text, 250):
            state = .over
            return .done
        case (.handshake, _): return fail(.temporary("the mail server spoke before the TLS handshake"))
        default: return refused(reply)
        }
    }

    /// The TLS handshake is complete; discard what the server announced before it (RFC 3207 §4.2).
    mutating func secured() -> Action {
        isSecure = true
        extensions = [:]
        return greet()
    }

    // MARK: Steps

    private mutating func greet() -> Action { command("EHLO \(hello)", .hello) }

    private mutating func afterHello(_ reply: SMTPReply) -> Action {
        for line in reply.lines.dropFirst() {
            // Some old servers write AUTH=.
            let words = line.uppercased().split { $0 == " " || $0 == "=" }.map(String.init)
            if let name = words.first { extensions[name, default: []].formUnion(words.dropFirst()) }
        }
        if wantsTLS, !isSecure {
            // Do not continue without TLS: an attacker may have removed STARTTLS from the reply.
            guard extensions["STARTTLS"] != nil else { return fail(.permanent("the mail server offers no STARTTLS")) }
            return command("STARTTLS", .startTLS)
        }
        guard let login else { return begin() }
        let mechanisms = extensions["AUTH"] ?? []
        if mechanisms.contains("PLAIN") {
            return command("AUTH PLAIN \(base64("\0\(login.user)\0\(login.password.exposed)"))", .login(.plain))
        }
        if mechanisms.contains("LOGIN") { return command("AUTH LOGIN", .login(.user)) }
        return fail(.permanent("the mail server offers neither AUTH PLAIN nor AUTH LOGIN"))
    }

    private mutating func begin() -> Action {
        guard let message else {
            state = .over
            return .done
        }
        let isPlain = message.from.address.isASCII && message.to.isASCII
        guard isPlain || extensions["SMTPUTF8"] != nil else {
            return fail(.permanent("the mail server does not support addresses beyond ASCII"))
        }
        return command("MAIL FROM:<\(message.from.address.text)>\(isPlain ? "" : " SMTPUTF8")", .sender)
    }

    private mutating func ask(_ next: Login, _ answer: String) -> Action { command(base64(answer), .login(next)) }

    private mutating func command(_ text: String, _ next: State) -> Action {
        state = next
        return .send(Array((text + "\r\n").utf8))
    }

    private mutating func refused(_ reply: SMTPReply) -> Action {
        let text = "\(stage) was answered \(reply.code)\(reply.status.map { " \($0)" } ?? "")"
        return fail(500...599 ~= reply.code ? .permanent(text) : .temporary(text))
    }

    private mutating func fail(_ failure: SMTPFailure) -> Action {
        state = .over
        return .fail(failure)
    }

    private func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    /// RFC 5321 §4.5.2: a line that begins with a dot gets another, since a line with only a dot ends the mail.
    static func stuffed(_ bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count + 64)
        var isAtStart = true
        for byte in bytes {
            if isAtStart, byte == UInt8(ascii: ".") { out.append(byte) }
            out.append(byte)
            isAtStart = byte == 0x0A
        }
        if !isAtStart { out += [0x0D, 0x0A] }
        return out + Array(".\r\n".utf8)
    }
}
