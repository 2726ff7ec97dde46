import Core
import Foundation
import KeepsakeKit
import KeepsakeWire
import Mail
import TestKit
import TestThreads
import Testing

@testable import FeatureTestKit
@testable import keepsake

/// Sessions on other devices, other ways to sign in, recovery by mail, and the export.
@Suite("KeepsakeKit on each transport and on the fake: accounts", .blocksThreads)
struct AccountConformance {
    @Test("another device's session is ended, and the account is exported", arguments: KitSetup.allCases)
    func sessionsAndExport(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let files = try KitFiles()
            let (phone, _) = try await world.person()
            let (eve, _) = try await world.person("eve")
            let tablet = world.client()
            try await tablet.auth.signIn(email: "ada@example.org", password: "correct horse")
            let other = try #require(try await phone.auth.sessions().first { !$0.isCurrent })
            await expectRefusal(404) { try await eve.auth.endSession(other.id) }
            try await phone.auth.endSession(other.id)
            await expectRefusal(404) { try await phone.auth.endSession(other.id) }
            await expectRefusal(401) { try await tablet.auth.me() }
            #expect(try await phone.auth.sessions().map(\.isCurrent) == [true])

            let archive = files.url("export.zip")
            try await phone.auth.export(to: archive)
            #expect(try Data(contentsOf: archive).starts(with: Data("PK".utf8)))
        }
    }

    @Test("identities: linked, signed in with, refused to others and unlinked", arguments: KitSetup.allCases)
    func identities(_ setup: KitSetup) async throws {
        try await setup.runWithIssuer { world, token in
            let (ada, id) = try await world.person()
            #expect(try await ada.auth.identities().isEmpty)
            let adaToken = try token("ada-1")
            let linked = try await ada.auth.link(LinkInput(oidc: adaToken))
            let identity = try #require(linked.first)
            #expect(linked.count == 1 && identity.subject == "ada-1")
            // Linking the same identity again changes nothing.
            #expect(try await ada.auth.link(LinkInput(oidc: adaToken)) == linked)
            #expect(try await ada.auth.identities() == linked)
            #expect(try await world.client().auth.signIn(oidc: adaToken).id == id)

            let (eve, _) = try await world.person("eve")
            await expectRefusal(409) { try await eve.auth.link(LinkInput(oidc: adaToken)) }
            await expectRefusal(404) { try await eve.auth.unlink(identity.id) }
            #expect(try await ada.auth.unlink(identity.id).isEmpty)
            await expectRefusal(404) { try await ada.auth.unlink(identity.id) }

            let bob = world.client()
            try await bob.auth.signIn(oidc: try token("bob-1"))
            let only = try #require(try await bob.auth.identities().first)
            await expectRefusal(409) { try await bob.auth.unlink(only.id) }

            let later = try token("ada-2")
            world.advance(.seconds(700))
            await expectRefusal(403, "sign_in_again") { try await ada.auth.link(LinkInput(oidc: later)) }
        }
    }

    @Test("without a mail server, no code is mailed and none is accepted", arguments: KitSetup.allCases)
    func withoutMail(_ setup: KitSetup) async throws {
        try await setup.run { world in
            let (ada, id) = try await world.person()
            await expectRefusal(403, "forbidden") { try await world.client().auth.forgotPassword(email: "ada@example.org") }
            await expectRefusal(403, "forbidden") { try await ada.auth.changeEmail(to: "new@example.org", password: "correct horse") }
            await expectRefusal(400) { try await ada.auth.changeEmail(to: "nobody", password: "correct horse") }
            await expectRefusal(400) { try await ada.auth.confirmEmail(code: "K7QF2-9XM4T-0HSBW-3ZE8N") }
            await expectRefusal(400) {
                try await world.client().auth.resetPassword(
                    ResetPasswordInput(token: "K7QF2-9XM4T-0HSBW-3ZE8N", password: "another horse"))
            }
            let me = try await ada.auth.me()
            #expect(me.id == id && me.email == "ada@example.org")
        }
    }

    @Test("with a mail server, codes change the e-mail address and a forgotten password", arguments: [KitSetup.urlSession, .asyncHTTP])
    func mail(_ setup: KitSetup) async throws {
        let mails = try await SMTPStandIn()
        let address = try #require(SMTPAddress("smtp://127.0.0.1:\(mails.port)?tls=off"))
        let sender = try #require(MailSender("Keepsake <no-reply@example.org>"))
        try await setup.run(settings: { $0.smtp = SMTPSettings(address: address, from: sender) }) { world in
            let (ada, id) = try await world.person()
            await expectRefusal(403, "wrong_password") { try await ada.auth.changeEmail(to: "new@example.org", password: "wrong horse") }
            try await ada.auth.changeEmail(to: "new@example.org", password: "correct horse")
            let code = try await Self.code(in: mails, 1)
            #expect(try await ada.auth.me().email == "ada@example.org")
            #expect(try await ada.auth.confirmEmail(code: code).email == "new@example.org")
            // A client repeats the call after a lost response.
            #expect(try await ada.auth.confirmEmail(code: code).email == "new@example.org")
            // The second mail tells the old address that the account has a new one.
            try await eventually { mails.mails.count >= 2 }

            let other = world.client()
            try await other.auth.forgotPassword(email: "new@example.org")
            let reset = ResetPasswordInput(token: try await Self.code(in: mails, 3), password: "another horse")
            let result = try await other.auth.resetPassword(reset)
            #expect(result.recentIdentities.isEmpty && !result.removed)
            await expectRefusal(400) { try await other.auth.resetPassword(reset) }
            await expectRefusal(401) { try await ada.auth.me() }
            #expect(try await other.auth.signIn(email: "new@example.org", password: "another horse").id == id)
        }
        try await mails.close()
    }

    /// The code in the mail with this number, from 1.
    private static func code(in mails: SMTPStandIn, _ number: Int) async throws -> String {
        try await eventually { mails.mails.count >= number }
        let mail = try #require(mails.mails.dropFirst(number - 1).first)
        return String(try #require(mail.text.firstMatch(of: /\n {4}([0-9A-Z]{5}(-[0-9A-Z]{5}){3})\n/)).1)
    }
}

extension KitSetup {
    /// Does the same as `run`, on a server that accepts the tokens of an OpenID Connect issuer.
    /// - Parameter test: also gets a function that makes a token for a subject.
    fileprivate func runWithIssuer(
        _ test: @Sendable (KitWorld, _ token: @escaping @Sendable (_ subject: String) throws -> OIDCInput) async throws -> Void
    ) async throws {
        try await IssuerStandIn.run { standIn async throws in
            // This clock is created before the server's clock starts. Otherwise the server could see a token from the future.
            let clock = TestClock(Timestamp(seconds: Int64(Date().timeIntervalSince1970)))
            try await run(settings: { $0.identities = IdentityForge.settings(standIn) }) { world in
                try await test(world) { subject in
                    guard world.fake == nil else { return OIDCInput(issuer: "https://issuer.example.org", idToken: subject) }
                    return OIDCInput(
                        issuer: IdentityForge.issuer(.oidc, standIn),
                        idToken: try IdentityForge(.oidc, standIn, clock, subject: subject).sign())
                }
            }
        }
    }
}
