import Accounts
import Core
import Foundation
import HTTPServer
import Mail
import TestKit
import Testing

@testable import FeatureTestKit
@testable import Web
@testable import keepsake

@Suite("Sign-in under attack")
struct SignInUnderAttackTests {
    private static func limited(_ settings: inout Settings) {
        settings.rateLimits = RateLimits()
        settings.trustedProxies = .init("127.0.0.1")!
        settings.smtp = SMTPSettings(
            address: SMTPAddress("smtp://127.0.0.1:9?tls=off")!, from: MailSender("Keepsake <no-reply@example.org>")!)
    }

    private func post(
        _ server: TestServer, _ path: String, _ body: [String: String], from address: String, device: String? = nil
    ) async throws -> TestServer.Answer {
        let headers = [("Content-Type", "application/json"), ("X-Forwarded-For", address)] + (device.map { [("Cookie", $0)] } ?? [])
        return try await server.send(
            "POST", "/auth/password/\(path)", headers: headers, body: try JSONSerialization.data(withJSONObject: body))
    }

    private func logIn(
        _ server: TestServer, _ name: String = "ada", _ password: String = "correct horse", from address: String, device: String? = nil
    ) async throws -> TestServer.Answer {
        try await post(server, "login", ["email": "\(name)@example.org", "password": password], from: address, device: device)
    }

    /// Signs up and returns the device cookie.
    private func register(_ server: TestServer, from address: String) async throws -> String {
        let answer = try await post(
            server, "register", ["email": "ada@example.org", "password": "correct horse"], from: address)
        try #require(answer.status == 200, "\(answer.text)")
        return try device(answer)
    }

    private func device(_ answer: TestServer.Answer) throws -> String {
        let field = try #require(answer.header("Set-Cookie"))
        #expect(field.hasSuffix("; Path=/; Max-Age=31536000; HttpOnly; SameSite=Strict"))
        let pair = String(field.prefix { $0 != ";" })
        #expect(pair.wholeMatch(of: /keepsake-device=[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{22}/) != nil, "\(pair)")
        return pair
    }

    /// Signs in with a wrong password `tries` times, each from another IPv6 network.
    private func attack(_ server: TestServer, tries: Int, device: String? = nil) async throws -> [Int: Int] {
        try await withThrowingTaskGroup(of: [Int: Int].self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var statuses: [Int: Int] = [:]
                    for number in 0..<(tries / 4) {
                        let network = "2001:db8:\(worker + 1):\(String(number, radix: 16))::1"
                        statuses[try await logIn(server, "ada", "wrong horse", from: network, device: device).status, default: 0] += 1
                    }
                    return statuses
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { $0 + $1 } }
        }
    }

    @Test("300 addresses of one IPv6 network share the attempts of one client", arguments: Engine.allCases)
    func network(_ engine: Engine) async throws {
        try await TestServer.run(engine, Self.limited) { server in
            var statuses: [Int: Int] = [:]
            for number in 1...300 {
                // Different spellings of one name share the same attempts.
                let name = [" ADA", "ada", "Ada"][number % 3]
                let address = "2001:db8:1:2::\(String(number, radix: 16))"
                statuses[try await logIn(server, name, "wrong horse", from: address).status, default: 0] += 1
            }
            #expect(statuses == [401: 20, 429: 280], "\(statuses)")
            // Control: another network has its own attempts.
            #expect(try await logIn(server, from: "2001:db8:1:3::1").status == 401)
        }
    }

    @Test("a thousand wrong attempts from many networks do not lock out a device that signed in before", arguments: Engine.allCases)
    func lockOut(_ engine: Engine) async throws {
        try await TestServer.run(engine, Self.limited) { server in
            let known = try await register(server, from: "192.0.2.1")
            let tries = engine == .sqlite ? 1_000 : 400
            let statuses = try await attack(server, tries: tries)
            // All networks together were allowed as many attempts as three networks.
            #expect(statuses == [401: 60, 429: tries - 60], "\(statuses)")
            // An unknown device is refused, and so is one with a forged device cookie.
            #expect(try await logIn(server, from: "192.0.2.1").status == 429)
            let forged = String(known.prefix { $0 != "." }) + "." + String(repeating: "A", count: 22)
            for bad in [forged, "keepsake-device=x", "\(known)x", "\(known); \(known)"] {
                #expect(try await logIn(server, from: "192.0.2.1", device: bad).status == 429, "\(bad)")
            }
            // The known device is not refused, whatever its address, and keeps its identifier.
            let signedIn = try await logIn(server, from: "192.0.2.77", device: known)
            #expect(signedIn.status == 200, "\(signedIn.text)")
            #expect(try device(signedIn) == known)
            // Attempts become available again over time.
            server.clock.advance(by: .seconds(30))
            #expect(try await logIn(server, from: "192.0.2.1").status == 200)
        }
    }

    @Test("a known device does not bypass the limit, and a password reset makes it unknown", arguments: Engine.allCases)
    func stolenDevice(_ engine: Engine) async throws {
        try await TestServer.run(engine, Self.limited) { server in
            let stolen = try await register(server, from: "192.0.2.1")
            let statuses = try await attack(server, tries: 100, device: stolen)
            #expect(statuses == [401: 60, 429: 40], "\(statuses)")
            // The attempts for the account's name are not used up.
            #expect(try await logIn(server, from: "192.0.2.1").status == 200)
            // A device is known only for its own account.
            let eve = try await post(server, "register", ["email": "eve@example.org", "password": "correct horse"], from: "192.0.2.2")
            let hers = try device(eve)
            let others = try await attack(server, tries: 100)
            #expect(others[429, default: 0] > 0, "\(others)")
            #expect(try await logIn(server, from: "192.0.2.3", device: hers).status == 429)
            let code = try await server.backend.accounts.issueReset(email: "ada@example.org", lifetime: .hours(1)).code
            server.clock.advance(by: .seconds(1))
            #expect(try await post(server, "reset", ["token": code, "password": "correct horse"], from: "192.0.2.1").status == 200)
            let back = try await logIn(server, from: "192.0.2.4", device: stolen)
            #expect(back.status == 429)
            // After the reset, the device counts as unknown. Its attempts count with those of unknown devices, and its next cookie has a
            // new identifier.
            server.clock.advance(by: .minutes(1))
            let later = try device(try await logIn(server, from: "192.0.2.4", device: stolen))
            let numbers = [later, stolen].map { $0.prefix { $0 != "." } }
            #expect(numbers[0] != numbers[1])
        }
    }

    @Test("reset requests that strangers make for an account do not use up its attempts to sign in", arguments: Engine.allCases)
    func buckets(_ engine: Engine) async throws {
        try await TestServer.run(engine, Self.limited) { server in
            _ = try await register(server, from: "192.0.2.1")
            for number in 0..<70 {
                let stranger = "198.51.100.\(number / 15)"
                _ = try await post(server, "forgot", ["email": "ada@example.org"], from: stranger)
                _ = try await post(
                    server, "register", ["email": "ada@example.org", "password": "wrong horse"], from: "203.0.113.\(number / 15)")
            }
            #expect(try await logIn(server, from: "192.0.2.2").status == 200)
            // The owner can still request a reset.
            #expect(try await post(server, "forgot", ["email": "ada@example.org"], from: "192.0.2.2").status == 200)
        }
    }
}
