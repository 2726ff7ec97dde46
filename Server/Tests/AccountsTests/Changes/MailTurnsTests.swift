import Core
import Database
import Foundation
import HTTPServer
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit
@testable import keepsake

@Suite("Turns of mails")
struct MailTurnsTests {
    private func register(_ email: String, from address: String = "192.0.2.1", _ world: MailServer) async throws {
        let answer = try await world.server.send(
            "POST", "/auth/password/register", headers: [("Content-Type", "application/json"), ("X-Forwarded-For", address)],
            body: try JSONSerialization.data(withJSONObject: ["email": email, "password": "correct horse"]))
        #expect(answer.status == 403 && answer.text.contains("confirm_email"), "\(answer.text)")
    }

    /// Registers `email` and waits for its mail.
    /// - Returns: how many other mails arrived meanwhile.
    private func mailsBefore(_ email: String, from address: String = "192.0.2.1", _ world: MailServer) async throws -> Int {
        let count = world.mails.mails.count
        try await register(email, from: address, world)
        try await world.server.wait { world.mails.mails.contains { $0.to == [email] } }
        return (world.mails.mails.firstIndex { $0.to == [email] } ?? 0) - count
    }

    private func keys(of kind: String, _ world: MailServer) async throws -> [String] {
        try await world.server.backend.database.read { tx in
            try tx.rows("SELECT turn_key FROM job WHERE kind = \(kind)").map { try $0.get("turn_key", as: String.self) }
        }
    }

    @Test("a mail does not wait for the mails to a domain whose mail server is slow, also in the same network", arguments: Engine.allCases)
    func domain(_ engine: Engine) async throws {
        try await MailServer.run(engine) {
            $0.confirmsEmail = true
        } _: { world in
            world.mails.behave { behaviour in
                behaviour.delay = { verb, domain in verb == "RCPT" && domain == "slow.example" ? .milliseconds(500) : .zero }
            }
            for number in 1...20 { try await register("\(number)@slow.example", world) }
            let keys = try await keys(of: "accounts/send-registration", world)
            // The keys reveal neither the network nor the domain.
            #expect(Set(keys).count == 1 && keys.allSatisfy { $0.wholeMatch(of: /[0-9a-f]{4} [0-9a-f]{4}/) != nil }, "\(keys)")
            #expect(try await mailsBefore("ada@other.example", world) <= 8)
            #expect(world.mails.violations == [])
        }
    }

    @Test("a mail does not wait for the mails that another network asked for, to many domains that are slow", arguments: Engine.allCases)
    func network(_ engine: Engine) async throws {
        try await MailServer.run(engine) {
            $0.confirmsEmail = true
            $0.trustedProxies = .init("127.0.0.1")!
        } _: { world in
            world.mails.behave { behaviour in
                behaviour.delay = { verb, domain in verb == "RCPT" && domain.hasPrefix("slow-") ? .milliseconds(500) : .zero }
            }
            for number in 1...24 { try await register("ada@slow-\(number).example", from: "198.51.100.1", world) }
            #expect(try await mailsBefore("ada@other.example", from: "203.0.113.5", world) <= 12)
        }
    }

    @Test("mails that belong to an account have the turn key of the domain that they go to", arguments: Engine.allCases)
    func owned(_ engine: Engine) async throws {
        try await MailServer.run(engine) { world in
            // The delay is long enough to read the row of each job before the job ends.
            world.mails.behave { behaviour in behaviour.delay = { verb, _ in verb == "RCPT" ? .milliseconds(500) : .zero } }
            let registered = try await world.server.post(
                "/auth/password/register", ["email": "ada@example.org", "password": "correct horse"])
            let ada = try world.person(registered)
            func expectKey(_ kind: String, to email: String) async throws {
                var keys: [String] = []
                try await world.server.wait {
                    keys = try await self.keys(of: kind, world)
                    return !keys.isEmpty
                }
                #expect(keys == [" " + MailTurns.target(email)], "\(kind)")
            }
            #expect(try await world.server.post("/auth/password/forgot", ["email": "ada@example.org"]).status == 200)
            try await expectKey("accounts/send-reset", to: "ada@example.org")
            #expect(try await world.changePassword("correct horse", "another horse", as: ada).status == 200)
            try await expectKey("accounts/tell-owner", to: "ada@example.org")
            #expect(try await world.changeEmail("ada@other.example", "another horse", as: ada).status == 200)
            try await expectKey("accounts/send-email-code", to: "ada@other.example")
        }
    }

    @Test("the parts of a turn key are the same on every node, and equal only for the same network or domain")
    func parts() {
        let network = Network(ipv4: 0xC633_6401)
        #expect(MailTurns.party(network) == MailTurns.party(Network(ipv4: 0xC633_6401)))
        #expect(MailTurns.party(network) != MailTurns.party(Network(ipv4: 0xC633_6402)))
        #expect(MailTurns.party(nil) == nil)
        #expect(MailTurns.target("ada@Example.org") == MailTurns.target("ben@example.org"))
        #expect(MailTurns.target("ada@example.org") != MailTurns.target("ada@example.com"))
    }
}
