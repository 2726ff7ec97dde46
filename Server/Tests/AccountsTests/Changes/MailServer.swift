import Foundation
import Jobs
import KeepsakeWire
import Mail
import TestKit
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// A server that sends its mail to a stand-in, and the requests with which people change their accounts.
struct MailServer: Sendable {
    let server: TestServer
    let mails: SMTPStandIn

    static func run(
        _ engine: Engine, _ change: @Sendable (inout Settings) -> Void = { _ in },
        _ test: @escaping @Sendable (MailServer) async throws -> Void
    ) async throws {
        let mails = try await SMTPStandIn()
        let address = try #require(SMTPAddress("smtp://127.0.0.1:\(mails.port)?tls=off"))
        let sender = try #require(MailSender("Keepsake <no-reply@example.org>"))
        try await TestServer.run(engine) {
            $0.smtp = SMTPSettings(address: address, from: sender)
            change(&$0)
        } _: {
            try await test(MailServer(server: $0, mails: mails))
        }
        try await mails.close()
    }

    func logIn(_ email: String, _ password: String = "correct horse") async throws -> TestServer.Answer {
        try await server.post("/auth/password/login", ["email": email, "password": password])
    }

    func person(_ answer: TestServer.Answer) throws -> TestServer.Person {
        let decoded = try Surface.capsules.makeDecoder().decode(SignedIn.self, from: answer.body)
        return TestServer.Person(id: decoded.user.id, token: decoded.token.accessToken)
    }

    func changePassword(
        _ old: String, _ new: String, as person: TestServer.Person
    ) async throws -> TestServer.Answer {
        try await server.post("/auth/password/change", ["old_password": old, "new_password": new], as: person)
    }

    func changeEmail(
        _ email: String, _ password: String = "correct horse", as person: TestServer.Person
    ) async throws -> TestServer.Answer {
        try await server.post("/auth/email/change", ["email": email, "password": password], as: person)
    }

    func confirm(_ code: String, as person: TestServer.Person) async throws -> TestServer.Answer {
        try await server.post("/auth/email/confirm", ["code": code], as: person)
    }

    func email(of person: TestServer.Person) async throws -> String? {
        try await server.send("GET", "/user/me", as: person).json()["email"] as? String
    }

    /// Waits for the mail with this number. The first mail has the number 1.
    func mail(_ number: Int) async throws -> SMTPStandIn.Mail {
        try await server.wait { mails.mails.count >= number }
        return mails.mails[number - 1]
    }

    /// Waits until every job has ended.
    func settle() async throws {
        try await server.wait { try await server.backend.jobs.list(state: .ready).isEmpty }
        try await server.wait { try await server.backend.jobs.list(state: .running).isEmpty }
    }
}

extension SMTPStandIn.Mail {
    /// The code in the mail.
    var code: String? { text.firstMatch(of: /\n {4}([0-9A-Z]{5}(-[0-9A-Z]{5}){3})\n/).map { String($0.1) } }
}
