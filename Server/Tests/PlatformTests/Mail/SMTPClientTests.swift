import Core
import Foundation
import TestKit
import TestThreads
import Testing

@testable import Mail

@Suite("Sending mail", .blocksThreads)
struct SMTPClientTests {
    private static let sender = MailSender("Keepsake <no-reply@example.org>")!
    private static let ada = MailAddress("ada@example.org")!
    private static let text = """
        Dear Ada,

        .a line with a dot in front
        .
        ..two
        a long one: \(String(repeating: "löng ", count: 60))
        trailing space\u{20}
        = and the end ✓
        """

    private func message(to: MailAddress = ada, text: String = text) throws -> MailMessage {
        try MailMessage(
            from: Self.sender, to: to, subject: "A new password – ein neues", text: text, date: Timestamp(seconds: 1_780_315_200),
            id: "0193f3a0-5b1c")
    }

    private func settings(_ server: SMTPStandIn, _ tls: String, login: String? = nil, authorities: String? = nil) throws -> SMTPSettings {
        var settings = SMTPSettings(address: try #require(SMTPAddress(tls.replacing("PORT", with: "\(server.port)"))), from: Self.sender)
        settings.authorities = authorities
        settings.login = login.map { .init(user: "keepsake", password: Secret($0)) }
        settings.timeout = .seconds(10)
        return settings
    }

    /// The outcome of sending.
    private func failure(_ settings: SMTPSettings, to: MailAddress = ada) async throws -> SMTPFailure? {
        let client = try SMTPClient(settings)
        let message = try message(to: to)
        do {
            try await client.send(message)
            return nil
        } catch let failure as SMTPFailure {
            return failure
        }
    }

    private func identity(_ folder: String) throws -> (certificate: String, key: String) {
        let (certificate, key) = (folder + "/cert.pem", folder + "/key.pem")
        try Tool.run(
            "openssl",
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
                + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate])
        return (certificate, key)
    }

    private static let plain = "smtp://127.0.0.1:PORT?tls=off"

    @Test("a mail sent over STARTTLS with authentication arrives whole, and a mail parser reads it back")
    func whole() async throws {
        let folder = try TemporaryFolder()
        var behaviour = SMTPStandIn.Behaviour()
        behaviour.tls = try identity(folder.path)
        behaviour.mechanisms = ["LOGIN", "PLAIN"]
        let server = try await SMTPStandIn(behaviour)
        let settings = try settings(
            server, "smtp://localhost:PORT", login: behaviour.login.password, authorities: behaviour.tls?.certificate)
        let client = try SMTPClient(settings)
        try await client.send(try message())
        try await client.probe()
        let mail = try #require(server.mails.first)
        #expect(server.mails.count == 1)
        #expect(mail.from == "no-reply@example.org" && mail.to == ["ada@example.org"])
        #expect(mail.isSecure && mail.user == "keepsake")
        #expect(server.violations == [])
        #expect(
            server.commands.prefix(7) == [
                "EHLO example.org", "STARTTLS", "EHLO example.org", "AUTH PLAIN", "MAIL FROM:<no-reply@example.org>",
                "RCPT TO:<ada@example.org>", "DATA",
            ])
        try mail.text.write(toFile: folder.path + "/mail", atomically: true, encoding: .utf8)
        let script = """
            import email, email.policy, json, sys
            m = email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)
            print(json.dumps([m["from"], m["to"], m["subject"], m["date"], m["message-id"], m.get_content()]))
            """
        let read = try JSONDecoder().decode([String].self, from: Data(Tool.run("python3", ["-c", script, folder.path + "/mail"]).utf8))
        #expect(
            read == [
                "Keepsake <no-reply@example.org>", "ada@example.org", "A new password – ein neues", "Mon, 01 Jun 2026 12:00:00 +0000",
                "<0193f3a0-5b1c@example.org>", Self.text + "\n",
            ] || read[3].hasPrefix("Mon, 1 Jun 2026 12:00:00") && read[5] == Self.text + "\n" && read[2] == "A new password – ein neues")
        #expect(mail.text.split(separator: "\n").allSatisfy { $0.utf8.count <= 78 })
        try await server.close()
    }

    @Test("the client speaks TLS from the first byte, and uses AUTH LOGIN where PLAIN is not offered")
    func implicit() async throws {
        let folder = try TemporaryFolder()
        var behaviour = SMTPStandIn.Behaviour()
        behaviour.tls = try identity(folder.path)
        behaviour.isImplicit = true
        behaviour.mechanisms = ["LOGIN"]
        let server = try await SMTPStandIn(behaviour)
        let right = try settings(
            server, "smtps://127.0.0.1:PORT", login: behaviour.login.password, authorities: behaviour.tls?.certificate)
        #expect(try await failure(right) == nil)
        #expect(server.mails.first?.user == "keepsake" && server.commands.contains("AUTH LOGIN"))
        // The error says that the password is wrong, without containing it.
        let wrong = try await failure(
            try settings(server, "smtps://127.0.0.1:PORT", login: "canary", authorities: behaviour.tls?.certificate))
        #expect(wrong == .permanent("AUTH was answered 535 5.7.8"))
        #expect(server.mails.count == 1 && server.violations == [])
        try await server.close()
    }

    @Test("a server with an untrusted certificate gets neither password nor mail", arguments: ["smtp", "smtps"])
    func untrusted(_ scheme: String) async throws {
        let folder = try TemporaryFolder()
        var behaviour = SMTPStandIn.Behaviour()
        behaviour.tls = try identity(folder.path)
        behaviour.isImplicit = scheme == "smtps"
        behaviour.mechanisms = ["PLAIN"]
        let server = try await SMTPStandIn(behaviour)
        let failure = try await failure(try settings(server, "\(scheme)://localhost:PORT", login: behaviour.login.password))
        guard case .temporary(let reason)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(reason.hasPrefix("the TLS handshake with the mail server localhost:\(server.port) failed: its certificate "), "\(reason)")
        #expect(reason.contains("; check KEEPSAKE_SMTP and KEEPSAKE_SMTP_CA (") && !reason.contains("\n"), "\(reason)")
        #expect(server.mails.isEmpty && !server.commands.contains { $0.hasPrefix("AUTH") || $0.hasPrefix("MAIL") })
        try await server.close()
    }

    @Test("nothing is sent in the clear when STARTTLS is not offered, or when a man in the middle answers it")
    func stripped() async throws {
        let bare = try await SMTPStandIn()
        let missing = try await failure(try settings(bare, "smtp://127.0.0.1:PORT", login: "x"))
        #expect(missing == .permanent("the mail server offers no STARTTLS"))
        #expect(bare.commands.filter { $0 != "QUIT" } == ["EHLO example.org"])
        let folder = try TemporaryFolder()
        var behaviour = SMTPStandIn.Behaviour()
        behaviour.tls = try identity(folder.path)
        behaviour.behindSTARTTLS = "250 2.0.0 kept\r\n"
        let injected = try await SMTPStandIn(behaviour)
        let failure = try await failure(try settings(injected, "smtp://127.0.0.1:PORT", authorities: behaviour.tls?.certificate))
        #expect(failure == .temporary("the mail server spoke before the TLS handshake"))
        #expect(injected.mails.isEmpty && !injected.commands.contains { $0.hasPrefix("MAIL") })
        try await bare.close()
        try await injected.close()
    }

    @Test(
        "a 4xx refusal is retried and a 5xx is not; the server's text, which may name the person, is not kept",
        arguments: [
            ("GREETING", "421 4.3.2 later", false, "the greeting was answered 421 4.3.2"),
            ("GREETING", "554 go away", true, "the greeting was answered 554"),
            ("EHLO", "502 5.5.1 no", true, "EHLO was answered 502 5.5.1"),
            ("MAIL", "452 4.3.1 full", false, "MAIL was answered 452 4.3.1"),
            ("RCPT", "451 4.7.1 <ada@example.org> greylisted", false, "RCPT was answered 451 4.7.1"),
            ("RCPT", "550-5.1.1 <ada@example.org>\r\n550 5.1.1 nobody", true, "RCPT was answered 550 5.1.1"),
            ("DATA", "554 5.5.1 no", true, "DATA was answered 554 5.5.1"), (".", "451 wait", false, "the end of the mail was answered 451"),
            (".", "554 5.7.1 spam", true, "the end of the mail was answered 554 5.7.1"),
        ])
    func refused(_ verb: String, _ answer: String, _ isPermanent: Bool, _ text: String) async throws {
        var behaviour = SMTPStandIn.Behaviour()
        behaviour.answers = [verb: [answer]]
        let server = try await SMTPStandIn(behaviour)
        let settings = try settings(server, Self.plain)
        let refused = try await failure(settings)
        #expect(refused == (isPermanent ? .permanent(text) : .temporary(text)))
        #expect(server.mails.isEmpty)
        // The retry is accepted.
        let next = try await failure(settings)
        #expect(next == nil && server.mails.count == 1 && server.violations == [])
        try await server.close()
    }

    @Test("a server that stops responding or disconnects at any point delays the client no longer than its timeout")
    func silent() async throws {
        for verb in ["GREETING", "EHLO", "MAIL", "RCPT", "DATA", "."] {
            for hangsUp in [true, false] {
                var behaviour = SMTPStandIn.Behaviour()
                if hangsUp { behaviour.hangsUpAt = verb } else { behaviour.silentAt = verb }
                let server = try await SMTPStandIn(behaviour)
                var settings = try settings(server, Self.plain)
                settings.timeout = hangsUp ? .seconds(20) : .milliseconds(150)
                let began = ContinuousClock.now
                let failure = try await failure(settings)
                #expect(ContinuousClock.now - began < .seconds(10))
                guard case .temporary(let reason)? = failure else {
                    Issue.record("\(verb): \(String(describing: failure))")
                    continue
                }
                let expected = hangsUp ? ["hung up", "closed the connection"] : ["did not answer"]
                #expect(expected.contains { reason.contains($0) }, "\(verb): \(reason)")
                // The server may have kept a mail that it did not acknowledge, so each mail has an id of its own.
                #expect(server.mails.count == (verb == "." && !hangsUp ? 1 : 0))
                try await server.close()
            }
        }
    }

    @Test("a server that answers each command in time, but slowly, keeps the conversation no longer than its limit")
    func slow() async throws {
        var behaviour = SMTPStandIn.Behaviour()
        behaviour.delay = { _, _ in .milliseconds(100) }
        let server = try await SMTPStandIn(behaviour)
        var settings = try settings(server, Self.plain)
        settings.conversation = .milliseconds(250)
        let failure = try await failure(settings)
        guard case .temporary(let reason)? = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(reason.hasPrefix("the mail server did not answer "), "\(reason)")
        #expect(reason.hasSuffix(" before the conversation had lasted \(settings.conversation)"), "\(reason)")
        #expect(server.mails.isEmpty && !server.commands.contains("DATA"))
        // A limit that fits lets the mail through.
        settings.conversation = .seconds(10)
        #expect(try await self.failure(settings) == nil)
        #expect(server.mails.count == 1)
        try await server.close()
    }

    @Test("a server that has the whole mail may take longer than the conversation's limit to accept it")
    func slowAtTheEnd() async throws {
        var behaviour = SMTPStandIn.Behaviour()
        behaviour.delay = { verb, _ in verb == "." ? .milliseconds(700) : .zero }
        let server = try await SMTPStandIn(behaviour)
        var settings = try settings(server, Self.plain)
        settings.conversation = .milliseconds(500)
        #expect(try await failure(settings) == nil)
        #expect(server.mails.count == 1)
        try await server.close()
    }

    @Test("an unreachable server, and one that does not speak SMTP, are retried")
    func elsewhere() async throws {
        let server = try await SMTPStandIn()
        let settings = try settings(server, Self.plain)
        try await server.close()
        let reason = """
            no connection to the mail server \(settings.address.host):\(settings.address.port): nothing listens there; check that it runs, \
            and the address in KEEPSAKE_SMTP (Connection refused)
            """
        #expect(try await failure(settings) == .temporary(reason))
        var behaviour = SMTPStandIn.Behaviour()
        behaviour.answers = ["GREETING": ["HTTP/1.1 400 Bad Request"]]
        let web = try await SMTPStandIn(behaviour)
        #expect(try await failure(try self.settings(web, Self.plain)) == .temporary("the mail server does not speak SMTP"))
        try await web.close()
    }

    @Test("many concurrent mails all arrive, however late the greeting comes")
    func many() async throws {
        let server = try await SMTPStandIn()
        let client = try SMTPClient(try settings(server, Self.plain))
        let message = try message()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<300 { group.addTask { try await client.send(message) } }
            try await group.waitForAll()
        }
        #expect(server.mails.count == 300 && server.violations == [])
        try await server.close()
    }

    @Test("a non-ASCII address goes only to a server with SMTPUTF8; the client refuses it for any other")
    func international() async throws {
        let address = try #require(MailAddress("jürgen@exämple.org"))
        var behaviour = SMTPStandIn.Behaviour()
        let server = try await SMTPStandIn(behaviour)
        #expect(
            try await failure(try settings(server, Self.plain), to: address)
                == .permanent("the mail server does not support addresses beyond ASCII"))
        #expect(!server.commands.contains { $0.hasPrefix("MAIL") })
        behaviour.speaksUTF8 = true
        let modern = try await SMTPStandIn(behaviour)
        #expect(try await failure(try settings(modern, Self.plain), to: address) == nil)
        #expect(modern.commands.contains("MAIL FROM:<no-reply@example.org> SMTPUTF8"))
        #expect(modern.mails.first?.to == ["jürgen@exämple.org"])
        try await server.close()
        try await modern.close()
    }

    @Test(
        "an address that could end a command or a header is invalid",
        arguments: [
            "", "ada", "@x", "ada@", "a@b@c", "ada@x\r\nRCPT TO:<eve@x>", "ada@x\nBcc: eve@x", "ada\u{0}@x", "<ada@x>", "ada@x>", "a b@x",
            "ada@x y", "\"a b\"@x", "ada,eve@x", "ada@x;", "ada@x\u{2028}", "ada\u{202E}@x", ".ada@x", "ada.@x", "a..b@x", "ada@x..y",
            "ada@-x", "ada@[127.0.0.1]", "(c)ada@x", String(repeating: "a", count: 65) + "@x",
            "a@" + String(repeating: "b", count: 253),
        ])
    func injection(_ text: String) throws {
        #expect(MailAddress(text) == nil)
        #expect(MailSender("Keepsake <\(text)>") == nil)
    }

    @Test("a subject, name or id that would start another header is refused, and unusual ones stay one header")
    func headers() throws {
        for subject in ["a\r\nBcc: eve@x", "a\nb", "a\u{0}", "a\u{85}b", "a\u{2029}b", String(repeating: "x", count: 201)] {
            #expect(throws: SMTPFailure.self) {
                _ = try MailMessage(
                    from: Self.sender, to: Self.ada, subject: subject, text: "", date: Timestamp(seconds: 0), id: "a")
            }
        }
        for id in ["", "a b", "a>\r\nX: y", "a@b"] {
            #expect(throws: SMTPFailure.self) {
                _ = try MailMessage(from: Self.sender, to: Self.ada, subject: "s", text: "", date: Timestamp(seconds: 0), id: id)
            }
        }
        #expect(MailSender("Keep\r\nsake <a@x>") == nil)
        let odd = try #require(MailSender(#""Kee"p\s" <a@x>"#))
        let message = try MailMessage(
            from: odd, to: Self.ada, subject: "=?utf-8?B?eA==?=", text: "x", date: Timestamp(seconds: 0), id: "a")
        let head = String(decoding: message.bytes, as: UTF8.self).components(separatedBy: "\r\n\r\n")[0].components(separatedBy: "\r\n")
        #expect(head.count == 9)
        #expect(head[0] == #"From: "Kee\"p\\s" <a@x>"#)
        #expect(head[2] == "Subject: =?utf-8?B?PT91dGYtOD9CP2VBPT0/PQ==?=")
        #expect(head[3] == "Date: Thu, 1 Jan 1970 00:00:00 +0000")
    }

    @Test("replies parse the same wherever they are cut, and endless ones are aborted")
    func replies() throws {
        let bytes = Array("250-one\r\n250-two\r\n250 three\r\n220\r\n451 4.7.1 wait\n".utf8)
        var whole = SMTPReplyReader()
        let expected = [
            SMTPReply(code: 250, lines: ["one", "two", "three"]), SMTPReply(code: 220, lines: [""]),
            SMTPReply(code: 451, lines: ["4.7.1 wait"]),
        ]
        #expect(try whole.receive(bytes) == expected)
        #expect(expected[2].status == "4.7.1" && expected[1].status == nil && !whole.isInside)
        var single = SMTPReplyReader()
        var found: [SMTPReply] = []
        for byte in bytes { found += try single.receive([byte]) }
        #expect(found == expected)
        for wrong in ["abc\r\n", "99 x\r\n", "600 x\r\n", "250-a\r\n251 b\r\n", "250?x\r\n", "\r\n", "25\r\n"] {
            #expect(throws: SMTPFailure.self, "\(wrong)") {
                var reader = SMTPReplyReader()
                _ = try reader.receive(Array(wrong.utf8))
            }
        }
        for endless in [String(repeating: "2", count: 3_000), String(repeating: "250-x\r\n", count: 200)] {
            #expect(throws: SMTPFailure.self) {
                var reader = SMTPReplyReader()
                _ = try reader.receive(Array(endless.utf8))
            }
        }
    }

    @Test("a mail server's address is a host, a port and the TLS mode, and contains no password")
    func address() {
        func parts(_ text: String) -> String? { SMTPAddress(text).map { "\($0.host) \($0.port) \($0.security)" } }
        #expect(parts("smtp://mail.example.org") == "mail.example.org 587 startTLS")
        #expect(parts("smtps://mail.example.org/") == "mail.example.org 465 implicit")
        #expect(parts("smtp://127.0.0.1:1025?tls=off") == "127.0.0.1 1025 off")
        #expect(parts("smtp://[::1]?tls=off") == "::1 25 off")
        for wrong in [
            "mail.example.org", "http://x", "smtp://", "smtp://user@x", "smtp://user:pass@x", "smtps://x?tls=off", "smtp://x?tls=no",
            "smtp://x:0", "smtp://x:99999", "smtp://x/path",
        ] {
            #expect(parts(wrong) == nil, "\(wrong)")
        }
    }
}
