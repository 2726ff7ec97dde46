import Core
import Crypto
import Database
import Foundation
import Jobs
import KeepsakeWire
import Mail
import TestKit
import TestThreads
import Testing
import Web

@testable import Accounts
@testable import FeatureTestKit
@testable import keepsake

@Suite("A forgotten password")
struct PasswordResetTests {
    fileprivate static let forgot = "/auth/password/forgot"
    private static let reset = "/auth/password/reset"

    /// Runs a server that sends its mail through the SMTP stand-in.
    fileprivate func run(
        _ engine: Engine, _ behaviour: SMTPStandIn.Behaviour = .init(), _ change: @Sendable (inout Settings) -> Void = { _ in },
        _ test: @escaping @Sendable (TestServer, SMTPStandIn) async throws -> Void
    ) async throws {
        let mails = try await SMTPStandIn(behaviour)
        let address = try #require(SMTPAddress("smtp://127.0.0.1:\(mails.port)?tls=off"))
        let sender = try #require(MailSender("Keepsake <no-reply@example.org>"))
        try await TestServer.run(
            engine,
            {
                $0.smtp = SMTPSettings(address: address, from: sender)
                $0.resetLink = "https://app.example.org/reset#{token}"
                change(&$0)
            }
        ) { server in try await test(server, mails) }
        try await mails.close()
    }

    fileprivate func post(_ server: TestServer, _ path: String, _ body: [String: String]) async throws -> TestServer.Answer {
        try await server.send(
            "POST", path, headers: [("Content-Type", "application/json")], body: try JSONSerialization.data(withJSONObject: body))
    }

    fileprivate func register(_ server: TestServer, _ name: String = "ada") async throws -> SignedIn {
        let answer = try await post(
            server, "/auth/password/register", ["email": "\(name)@example.org", "password": "correct horse"])
        return try Surface.capsules.makeDecoder().decode(SignedIn.self, from: answer.body)
    }

    private func logIn(_ server: TestServer, _ password: String) async throws -> Int {
        try await post(server, "/auth/password/login", ["email": "ada@example.org", "password": password]).status
    }

    /// Waits for `count` mails and returns the code in the newest.
    private func code(_ mails: SMTPStandIn, _ count: Int = 1) async throws -> String {
        try await wait { mails.mails.count >= count }
        let text = try #require(mails.mails.last).text
        return String(try #require(text.firstMatch(of: /\n {4}([0-9A-Z]{5}(-[0-9A-Z]{5}){3})\n/)).1)
    }

    fileprivate func wait(_ isSo: () async throws -> Bool) async throws {
        for _ in 0..<600 {
            if try await isSo() { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        Issue.record("it did not come to be")
    }

    fileprivate func jobs(_ server: TestServer) async throws -> [JobEntry] {
        var jobs: [JobEntry] = []
        for state in JobState.allCases { jobs += try await server.backend.jobs.list(state: state) }
        return jobs
    }

    @Test(arguments: Engine.allCases)
    func `a code comes by mail, sets a password once, and puts out whoever was signed in`(_ engine: Engine) async throws {
        try await run(engine) { server, mails in
            let phone = try await register(server)
            let eve = try await register(server, "eve")
            let asked = try await post(server, Self.forgot, ["email": " Ada@Example.org "])
            #expect(asked.status == 200 && asked.text == "{}")
            let code = try await code(mails)
            let mail = try #require(mails.mails.first)
            #expect(mail.to == ["ada@example.org"] && mails.violations == [])
            #expect(mail.text.contains("https://app.example.org/reset#\(code)"))
            // The mail must not contain the account's id, a token or the password.
            #expect(!mail.text.contains(phone.user.id) && !mail.text.contains("horse"))
            // The database does not store the code, neither with the reset nor with the mail job.
            let letters = code.filter { $0 != "-" }
            let stored = try await server.backend.database.read { tx in
                try tx.rows("SELECT id, hash FROM password_reset").flatMap {
                    [try $0.get("id", as: String.self), try $0.get("hash", as: String.self)]
                } + tx.rows("SELECT payload FROM job").map { try $0.get("payload", as: String.self) }
            }
            #expect(stored.count >= 2 && !stored.contains { $0.contains(letters) || $0.contains(code) })
            // A refused password does not use up the code.
            let short = try await post(server, Self.reset, ["token": code, "password": "short"])
            #expect(short.status == 400 && short.text.contains("password"))
            let common = try await post(server, Self.reset, ["token": code, "password": "password1"])
            #expect(common.status == 400 && common.text.contains("common"))
            let typed = code.lowercased().replacing("-", with: " ").replacing("0", with: "o").replacing("1", with: "l")
            let done = try await post(server, Self.reset, ["token": typed, "password": "another horse"])
            let keys = try Set(done.json().keys)
            #expect(done.status == 200 && keys == ["recent_identities", "removed"])
            #expect(try await logIn(server, "correct horse") == 401)
            #expect(try await logIn(server, "another horse") == 200)
            let person = TestServer.Person(id: phone.user.id, token: phone.token.accessToken)
            #expect(try await server.send("GET", "/user/me", as: person).status == 401)
            #expect(try await post(server, "/auth/refresh", ["refresh_token": phone.token.refreshToken]).status == 401)
            let other = TestServer.Person(id: eve.user.id, token: eve.token.accessToken)
            #expect(try await server.send("GET", "/user/me", as: other).status == 200)
            // The code works only once.
            let again = try await post(server, Self.reset, ["token": code, "password": "third horse"])
            let never = try await post(server, Self.reset, ["token": "00000-00000-00000-00000", "password": "third horse"])
            #expect(again.status == 400 && never.status == 400)
            #expect(try again.json() as? [String: String] == never.json() as? [String: String])
            #expect(try await logIn(server, "third horse") == 401)
            try await wait { try await jobs(server).isEmpty }
        }
    }

    @Test func `a code is over after an hour, and of two who come with one at once one sets the password`() async throws {
        try await run(.postgres) { server, mails in
            _ = try await register(server)
            _ = try await post(server, Self.forgot, ["email": "ada@example.org"])
            let late = try await code(mails)
            server.clock.advance(by: .hours(1))
            #expect(try await post(server, Self.reset, ["token": late, "password": "another horse"]).status == 400)
            _ = try await post(server, Self.forgot, ["email": "ada@example.org"])
            let code = try await code(mails, 2)
            let statuses = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                for number in 0..<8 {
                    group.addTask {
                        (number, try await post(server, Self.reset, ["token": code, "password": "horse number \(number)"]).status)
                    }
                }
                return try await group.reduce(into: [Int: Int]()) { $0[$1.0] = $1.1 }
            }
            let winners = statuses.filter { $0.value == 200 }
            #expect(winners.count == 1 && statuses.values.filter { $0 == 400 }.count == 7)
            #expect(try await logIn(server, "horse number \(winners.keys.first ?? -1)") == 200)
        }
    }

    @Test(arguments: Engine.allCases)
    func `a server that makes strangers wait is tried again, and one that refuses is not, until somebody says so`(_ engine: Engine)
        async throws
    {
        var behaviour = SMTPStandIn.Behaviour()
        behaviour.answers = [
            "RCPT": ["451 4.7.1 <ada@example.org> greylisted", "451 4.7.1 still", "250 ok", "550 5.1.1 <ada@example.org>?"]
        ]
        try await run(engine, behaviour) { server, mails in
            _ = try await register(server)
            _ = try await post(server, Self.forgot, ["email": "ada@example.org"])
            for tries in 1...2 {
                try await wait { try await jobs(server).contains { $0.state == .ready && $0.tries == tries && $0.error != nil } }
                let job = try #require(try await jobs(server).first)
                #expect(job.error == "SMTPFailure: RCPT was answered 451 4.7.1")
                #expect(mails.mails.isEmpty)
                server.clock.advance(by: .minutes(2))
            }
            _ = try await code(mails)
            try await wait { try await jobs(server).isEmpty }
            // After a permanent refusal, the job is kept with the reason but without the person's address.
            _ = try await post(server, Self.forgot, ["email": "ada@example.org"])
            try await wait { try await jobs(server).contains { $0.state == .parked } }
            let parked = try #require(try await jobs(server).first)
            #expect(parked.error == "JobFailure: RCPT was answered 550 5.1.1")
            let shown = try #require(try await server.backend.jobs.show(parked.id))
            #expect(shown.payload?.contains("ada") == false)
            #expect(try await server.backend.jobs.retry(parked.id))
            let code = try await code(mails, 2)
            #expect(try await post(server, Self.reset, ["token": code, "password": "another horse"]).status == 200)
        }
    }

    @Test func `without a mail server it says so to everybody, and a code from whoever runs it works all the same`() async throws {
        try await TestServer.run(.sqlite, { $0.resetLink = "keepsake://reset/{token}" }) { server in
            let phone = try await register(server)
            for name in ["ada", "nobody"] {
                #expect(try await post(server, Self.forgot, ["email": "\(name)@example.org"]).status == 403)
            }
            #expect(try await jobs(server).isEmpty)
            let issued = try await server.backend.accounts.issueReset(email: "ADA@example.org", lifetime: .days(1))
            #expect(issued.userID == phone.user.id && issued.link == "keepsake://reset/\(issued.code)")
            #expect("\(issued)" == "•••")
            server.clock.advance(by: .hours(23))
            #expect(try await post(server, Self.reset, ["token": issued.code, "password": "another horse"]).status == 200)
            #expect(try await logIn(server, "another horse") == 200)
            let set = try await server.backend.accounts.setPassword("third horse", email: "ada@example.org")
            #expect(set.userID == phone.user.id && set.endedSessions == 1)
            #expect(try await logIn(server, "another horse") == 401)
            #expect(try await logIn(server, "third horse") == 200)
            let unknown = await problem { try await server.backend.accounts.issueReset(email: "nobody@example.org", lifetime: .days(1)) }
            #expect(unknown?.kind == .notFound)
            for lifetime in [Duration.seconds(59), .days(7) + .seconds(1)] {
                let refused = await problem {
                    try await server.backend.accounts.issueReset(email: "ada@example.org", lifetime: lifetime)
                }
                #expect(refused?.field == "expires")
            }
        }
    }

    @Test func `asking too often is refused, by the address asked for and by where it is asked from`() async throws {
        try await run(
            .sqlite, .init(),
            {
                $0.rateLimits = RateLimits()
                $0.rateLimits?.signIn = Rate(perMinute: 3)
            }
        ) { server, _ in
            var statuses: [Int] = []
            for _ in 0..<4 { statuses.append(try await post(server, Self.forgot, ["email": "nobody@example.org"]).status) }
            #expect(statuses == [200, 200, 200, 429])
            #expect(try await post(server, Self.reset, ["token": "x", "password": "another horse"]).status == 429)
        }
    }

    @Test(arguments: Engine.allCases)
    func `whoever was signing in with the old password while it changed is not let in`(_ engine: Engine) async throws {
        try await AccountsHome.run(engine) { home in
            let signedIn = try await home.signUp()
            let old = try #require(try await home.store.credential(email: "ada@example.org")?.passwordHash)
            let session = NewSession(
                id: "late", accountID: signedIn.user.id, refreshHash: RefreshToken(entropy: .system).hash, origin: SessionOrigin(.password),
                createdAt: home.clock.now)
            _ = try await home.feature.setPassword("another horse", email: "ada@example.org")
            // The sign-in checked the old password before the change, and opens its session after the change.
            #expect(try await home.store.openSession(session, ifPasswordIs: old) == false)
            #expect(try await home.count("SELECT COUNT(*) AS n FROM session WHERE ended_at IS NULL") == 0)
        }
    }
}

@Suite("The time of an answer about a forgotten password", .runsAlone)
struct PasswordResetTimeTests {
    private let reset = PasswordResetTests()

    @Test(arguments: Engine.allCases)
    func `whether there is such an account is told neither by the answer nor by its time`(_ engine: Engine) async throws {
        try await reset.run(engine) { server, mails in
            _ = try await reset.register(server)
            _ = try await server.person("passwordless")
            var times: [String: [Duration]] = [:]
            var answers: Set<[String]> = []
            let kinds = ["ada", "passwordless", "nobody"]
            for _ in 0..<30 {
                for kind in kinds {
                    let began = ContinuousClock.now
                    let answer = try await reset.post(server, PasswordResetTests.forgot, ["email": "\(kind)@example.org"])
                    times[kind, default: []].append(.now - began)
                    let names = answer.headers.map { $0.name.lowercased() }.sorted().joined(separator: ",")
                    answers.insert(["\(answer.status)", answer.text, names])
                }
            }
            #expect(answers.count == 1 && answers.first?.prefix(2) == ["200", "{}"], "\(answers)")
            let medians = times.mapValues { $0.sorted()[15] }
            let (least, most) = (try #require(medians.values.min()), try #require(medians.values.max()))
            #expect(most < least * 2 + .milliseconds(5), "\(medians)")
            // The server sends five mails an hour, and only to the account that has a password.
            try await reset.wait { try await reset.jobs(server).isEmpty }
            #expect(mails.mails.map(\.to) == Array(repeating: ["ada@example.org"], count: 5))
            #expect(try await reset.post(server, PasswordResetTests.forgot, ["email": "no address"]).status == 400)
            server.clock.advance(by: .hours(1) + .seconds(1))
            _ = try await reset.post(server, PasswordResetTests.forgot, ["email": "ada@example.org"])
            try await reset.wait { mails.mails.count == 6 }
        }
    }
}
