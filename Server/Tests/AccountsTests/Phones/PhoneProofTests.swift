import Core
import Database
import Foundation
import Logging
import TestKit
import Testing

@testable import Accounts
@testable import FeatureTestKit
@testable import keepsake

/// Issues the tokens of these tests. A test gives the second at which a token is issued, counted from half an hour ago. So the order of the
/// tokens does not depend on when they arrive.
private struct Issuer: Sendable {
    let server: TestServer
    let standIn: IssuerStandIn
    let hour: Int64

    init(_ server: TestServer, _ standIn: IssuerStandIn) {
        self.server = server
        self.standIn = standIn
        hour = server.clock.now.seconds
        server.clock.advance(by: .minutes(30))
    }

    /// - Parameter phone: the claim `phone_number`; `nil` for a token without it.
    func token(
        _ subject: String, phone: Any?, at second: Int64, _ kind: IssuerStandIn.Issuer = .firebase, verified: Any? = true
    ) throws -> String {
        let forge = IdentityForge(kind, standIn, server.clock, subject: subject)
        forge.claims["iat"] = hour + second
        if let phone { forge.claims["phone_number"] = phone }
        if kind != .firebase, let verified { forge.claims["phone_number_verified"] = verified }
        return try forge.sign()
    }

    /// Sends a request with such a token as its bearer token. The id of its account is the subject.
    func request(_ subject: String, phone: Any?, at second: Int64) async throws -> Int {
        let bearer = ("Authorization", "Bearer \(try token(subject, phone: phone, at: second))")
        return try await server.send("GET", "/user/me", headers: [bearer]).status
    }

    func time(_ second: Int64) -> Timestamp { Timestamp(seconds: hour + second) }

    /// The proved numbers, by the ids of their accounts.
    func phones() async throws -> [String: String] {
        try await server.backend.database.read { tx in
            try tx.rows("SELECT id, phone FROM account WHERE phone IS NOT NULL").reduce(into: [:]) { phones, row in
                let id: String = try row.get("id")
                phones[id] = try row.get("phone", as: String.self)
            }
        }
    }

    func provedAt(_ account: String) async throws -> Timestamp? {
        try await server.backend.database.read { tx in
            try tx.row("SELECT phone_proved_at FROM account WHERE id = \(account)")?.get("phone_proved_at")
        }
    }
}

@Suite("Phone numbers of accounts")
struct PhoneProofTests {
    private static let ada = "+14155550123"
    private static let eve = "+41446681800"

    private func run(_ engine: Engine, _ test: @escaping @Sendable (Issuer) async throws -> Void) async throws {
        try await TestServer.runWithFirebase(engine) { server, standIn in try await test(Issuer(server, standIn)) }
    }

    @Test("a verified token's number is the account's, whichever endpoint takes the token", arguments: Engine.allCases)
    func proved(_ engine: Engine) async throws {
        try await run(engine) { issuer async throws in
            // Firebase writes numbers in E.164. The other numbers are written as OpenID Connect recommends.
            let claims: [(TokenEndpoint, String)] = [
                (.firebaseBearer, "+14155550101"), (.firebaseBody, "+14155550102"), (.oidcBody, "+1 (415) 555-0103"),
                (.oidcBearer, "+1 415-555-0104"),
            ]
            for isKnown in [false, true] {
                for (endpoint, claim) in claims {
                    let subject = "\(endpoint) \(isKnown)"
                    if isKnown {
                        let before = try issuer.token(subject, phone: nil, at: 1, endpoint.issuer)
                        _ = try await issuer.server.post(
                            "/auth/oidc", ["issuer": IdentityForge.issuer(endpoint.issuer, issuer.standIn), "id_token": before])
                    }
                    let token = try issuer.token(subject, phone: claim, at: isKnown ? 3 : 2, endpoint.issuer)
                    let answer = try await endpoint.send(issuer.server, issuer.standIn, token)
                    // The path of `.oidcBearer` names another user.
                    #expect(answer.status == (endpoint == .oidcBearer ? 403 : 200), "\(endpoint): \(answer.text)")
                    #expect(!answer.text.contains("415555") && !answer.text.contains("phone"))
                }
                let numbers = try await Set(issuer.phones().values)
                #expect(numbers == ["+14155550101", "+14155550102", "+14155550103", "+14155550104"], "known: \(isKnown)")
                #expect(try await issuer.phones().count == 4)
            }
            #expect(try await issuer.server.accounts() == 8)
        }
    }

    @Test("what proves no number leaves the account without one, and the token valid", arguments: Engine.allCases)
    func unproved(_ engine: Engine) async throws {
        try await run(engine) { issuer async throws in
            let bad: [Any] = [
                "", " ", "+", "4155550123", "(415) 555-0123", "+1 555", "+999123456789", "garbage", "+1415\u{0}5550123", 14_155_550_123,
                true,
                NSNull(), [Self.ada], ["number": Self.ada], String(repeating: "+1 415 555 0123 ", count: 100),
            ]
            for (number, claim) in bad.enumerated() {
                #expect(try await issuer.request("firebase-\(number)", phone: claim, at: 1) == 200, "\(claim)")
            }
            let url = IdentityForge.issuer(.oidc, issuer.standIn)
            for (number, verified) in ([nil, false, "true", 1, NSNull()] as [Any?]).enumerated() {
                let token = try issuer.token("oidc-\(number)", phone: Self.ada, at: 1, .oidc, verified: verified)
                #expect(try await issuer.server.post("/auth/oidc", ["issuer": url, "id_token": token]).status == 200)
            }
            // Apple's tokens have no phone number.
            let apple = try issuer.token("apple", phone: Self.ada, at: 1, .apple)
            #expect(try await issuer.server.post("/auth/apple", ["identity_token": apple]).status == 200)
            #expect(try await issuer.phones().isEmpty)
            // A forged token proves nothing either.
            let forge = IdentityForge(.firebase, issuer.standIn, issuer.server.clock, subject: "firebase-0")
            forge.claims["phone_number"] = Self.ada
            let forged = [("Authorization", "Bearer \(try forge.sign(TestKeys.forger))")]
            #expect(try await issuer.server.send("GET", "/user/me", headers: forged).status == 401)
            #expect(try await issuer.phones().isEmpty)
        }
    }

    @Test("a newer proof moves the number to its account; an older one, and one of the same second, do not", arguments: Engine.allCases)
    func moves(_ engine: Engine) async throws {
        try await run(engine) { issuer async throws in
            #expect(try await issuer.request("ada", phone: Self.ada, at: 10) == 200)
            #expect(try await issuer.phones() == ["ada": Self.ada])
            for second in [9, 10] as [Int64] {
                #expect(try await issuer.request("eve", phone: Self.ada, at: second) == 200)
                #expect(try await issuer.phones() == ["ada": Self.ada])
            }
            #expect(try await issuer.request("eve", phone: Self.ada, at: 20) == 200)
            #expect(try await issuer.phones() == ["eve": Self.ada])
            // Sends Ada's first token again, then a token that is older than Eve's, then one of the same second as Eve's.
            for second in [10, 15, 20] as [Int64] {
                #expect(try await issuer.request("ada", phone: Self.ada, at: second) == 200)
                #expect(try await issuer.phones() == ["eve": Self.ada])
            }
            #expect(try await issuer.request("ada", phone: Self.ada, at: 21) == 200)
            #expect(try await issuer.phones() == ["ada": Self.ada])
            // A new token of the account renews the proof, so a token that was issued before it comes too late.
            #expect(try await issuer.request("ada", phone: Self.ada, at: 40) == 200)
            #expect(try await issuer.request("eve", phone: Self.ada, at: 30) == 200)
            #expect(try await issuer.phones() == ["ada": Self.ada])
            #expect(try await issuer.provedAt("ada") == issuer.time(40))
            // The endpoint that signs in behaves in the same way.
            let url = IdentityForge.issuer(.firebase, issuer.standIn)
            for (second, holder) in [(39, "ada"), (40, "ada"), (41, "eve")] as [(Int64, String)] {
                let token = try issuer.token("eve", phone: Self.ada, at: second)
                #expect(try await issuer.server.post("/auth/oidc", ["issuer": url, "id_token": token]).status == 200)
                #expect(try await issuer.phones() == [holder: Self.ada])
            }
        }
    }

    @Test(
        "another number replaces the account's number, which is free then; a token without a number changes nothing",
        arguments: Engine.allCases)
    func replaced(_ engine: Engine) async throws {
        try await run(engine) { issuer async throws in
            #expect(try await issuer.request("ada", phone: Self.ada, at: 10) == 200)
            #expect(try await issuer.request("ada", phone: Self.eve, at: 20) == 200)
            #expect(try await issuer.phones() == ["ada": Self.eve])
            #expect(try await issuer.request("ada", phone: Self.ada, at: 15) == 200)
            #expect(try await issuer.request("ada", phone: nil, at: 30) == 200)
            #expect(try await issuer.phones() == ["ada": Self.eve])
            #expect(try await issuer.provedAt("ada") == issuer.time(20))
            #expect(try await issuer.request("eve", phone: Self.ada, at: 12) == 200)
            #expect(try await issuer.phones() == ["ada": Self.eve, "eve": Self.ada])
        }
    }

    @Test("a deleted account's number is free at once, and its own tokens do not prove it again", arguments: Engine.allCases)
    func deleted(_ engine: Engine) async throws {
        try await run(engine) { issuer async throws in
            let token = try issuer.token("ada", phone: Self.ada, at: 20)
            let bearer = [("Authorization", "Bearer \(token)")]
            #expect(try await issuer.server.send("GET", "/user/me", headers: bearer).status == 200)
            #expect(try await issuer.request("eve", phone: Self.ada, at: 10) == 200)
            #expect(try await issuer.phones() == ["ada": Self.ada])
            issuer.server.clock.advance(by: .seconds(1))
            let fresh = IdentityForge(.firebase, issuer.standIn, issuer.server.clock, subject: "ada")
            fresh.claims["phone_number"] = Self.ada
            let now = [("Authorization", "Bearer \(try fresh.sign())")]
            #expect(try await issuer.server.send("POST", "/auth/delete", headers: now).status == 200)
            #expect(try await issuer.server.send("GET", "/user/me", headers: bearer).status == 401)
            #expect(try await issuer.phones().isEmpty)
            #expect(try await issuer.request("eve", phone: Self.ada, at: 10) == 200)
            #expect(try await issuer.phones() == ["eve": Self.ada])
        }
    }

    @Test("a write that comes after the account was closed gives it no number", arguments: Engine.allCases)
    func closed(_ engine: Engine) async throws {
        try await run(engine) { issuer async throws in
            #expect(try await issuer.request("ada", phone: nil, at: 10) == 200)
            let store = AccountStore(database: issuer.server.backend.database)
            #expect(try await store.close("ada", at: issuer.server.clock.now, hiding: { _ in }, also: { _ in }))
            for account in ["ada", "nobody"] {
                let proof = PhoneProof(number: Self.ada, provedAt: issuer.time(20))
                try await issuer.server.backend.database.write { tx in try AccountStore.provePhone(proof, of: account, tx) }
            }
            #expect(try await issuer.phones().isEmpty)
        }
    }

    @Test("an identity that was removed after its token was checked proves no number", arguments: Engine.allCases)
    func removedMeanwhile(_ engine: Engine) async throws {
        try await run(engine) { issuer async throws in
            #expect(try await issuer.request("ada", phone: nil, at: 10) == 200)
            let database = issuer.server.backend.database
            let store = AccountStore(database: database)
            let identity = IdentityName(issuer: IdentityForge.issuer(.firebase, issuer.standIn), subject: "ada")
            // Control: while the identity is linked, it proves a number.
            try await store.provePhone(PhoneProof(number: Self.eve, provedAt: issuer.time(15)), of: "ada", by: identity)
            #expect(try await issuer.phones() == ["ada": Self.eve])
            _ = try await database.write { tx in
                try tx.run(AccountStore.deleteIdentity(identity.issuer, identity.subject, of: "ada"))
            }
            try await store.provePhone(PhoneProof(number: Self.ada, provedAt: issuer.time(20)), of: "ada", by: identity)
            #expect(try await issuer.phones() == ["ada": Self.eve])
        }
    }

    @Test("a suspended account keeps its number, proves none, and loses it to a newer proof", arguments: Engine.allCases)
    func suspended(_ engine: Engine) async throws {
        try await run(engine) { issuer async throws in
            #expect(try await issuer.request("ada", phone: Self.ada, at: 10) == 200)
            let accounts = issuer.server.backend.accounts
            _ = try await accounts.suspend("ada", at: issuer.server.clock.now) { _ in }
            #expect(try await issuer.request("ada", phone: Self.eve, at: 20) == 403)
            #expect(try await issuer.phones() == ["ada": Self.ada])
            // Nobody finds the account by either number.
            let found = try await issuer.server.backend.database.read { tx in try accounts.accounts(withPhones: [Self.ada, Self.eve], tx) }
            #expect(found.isEmpty)
            #expect(try await issuer.request("eve", phone: Self.ada, at: 30) == 200)
            #expect(try await issuer.phones() == ["eve": Self.ada])
            let moved = try await issuer.server.backend.database.read { tx in
                (
                    try accounts.accounts(withPhones: [Self.ada, Self.eve], tx), try accounts.phone(of: "eve", tx),
                    try accounts.phone(of: "ada", tx)
                )
            }
            #expect(moved.0 == [Self.ada: "eve"] && moved.1 == Self.ada && moved.2 == nil)
        }
    }

    @Test("linking an identity proves its number for the account; another account's identity does not", arguments: Engine.allCases)
    func linked(_ engine: Engine) async throws {
        try await run(engine) { issuer async throws in
            let (ada, eve) = (try await issuer.server.person("ada"), try await issuer.server.person("eve"))
            let url = IdentityForge.issuer(.firebase, issuer.standIn)
            let token = try issuer.token("uid", phone: Self.ada, at: 10)
            #expect(try await issuer.server.post("/auth/link", ["issuer": url, "id_token": token], as: ada).status == 200)
            #expect(try await issuer.phones() == [ada.id: Self.ada])
            let newer = try issuer.token("uid", phone: Self.ada, at: 20)
            #expect(try await issuer.server.post("/auth/link", ["issuer": url, "id_token": newer], as: eve).status == 409)
            #expect(try await issuer.phones() == [ada.id: Self.ada])
            #expect(try await issuer.provedAt(ada.id) == issuer.time(10))
        }
    }

    // MARK: Cost

    private func admit(_ issuer: Issuer, _ database: any Database) -> @Sendable (String, String?, Int64) async throws -> Viewer {
        let identifiers = Identifiers(clock: issuer.server.clock.wall, entropy: .system)
        let admit = AdmitIdentity(
            store: AccountStore(database: database), identifiers: identifiers, clock: issuer.server.clock.wall, registration: .open,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return { subject, phone, second in
            let token = try #require(IdentityToken(try issuer.token(subject, phone: phone, at: second)))
            return try await admit.viewer(VerifiedIdentity(token.claims, kind: .firebase))
        }
    }

    @Test("a request with a token that is known reads what it read before, and writes nothing", arguments: Engine.allCases)
    func cost(_ engine: Engine) async throws {
        try await run(engine) { issuer async throws in
            let database = CountingDatabase(issuer.server.backend.database)
            let view = admit(issuer, database)
            func cost(_ subject: String, _ phone: String?, at second: Int64) async throws -> [Int] {
                let (reads, writes) = (database.reads, database.writes)
                _ = try await view(subject, phone, second)
                return [database.reads - reads, database.writes - writes]
            }
            #expect(try await cost("ada", Self.ada, at: 10) == [1, 1])
            for _ in 0..<3 { #expect(try await cost("ada", Self.ada, at: 10) == [1, 0]) }
            // A new token costs one write, whether it renews the proof or brings another number.
            #expect(try await cost("ada", Self.ada, at: 20) == [1, 1])
            #expect(try await cost("ada", Self.ada, at: 20) == [1, 0])
            #expect(try await cost("ada", "+1 415 555 0123", at: 21) == [1, 1])
            #expect(try await cost("ada", "+1 415 555 0123", at: 21) == [1, 0])
            // An older token, a token without a number, and one with an invalid number cost no write.
            #expect(try await cost("ada", Self.eve, at: 20) == [1, 0])
            #expect(try await cost("ada", nil, at: 30) == [1, 0])
            #expect(try await cost("ada", "garbage", at: 30) == [1, 0])
            // If another account has proved the number later, each request costs one more read, as long as the token is valid.
            #expect(try await cost("eve", nil, at: 5) == [1, 1])
            for _ in 0..<2 { #expect(try await cost("eve", Self.ada, at: 6) == [2, 0]) }
            #expect(try await issuer.phones() == ["ada": Self.ada])

            let recording = RecordingDatabase(issuer.server.backend.database)
            _ = try await admit(issuer, recording)("ada", Self.ada, 21)
            #expect(recording.statements().count == 2)
        }
    }

    /// A database on a disk that is full.
    private struct FullDatabase: DatabaseDecorator {
        let base: any Database

        func write<T: Sendable>(_ body: @escaping @Sendable (WriteTransaction) throws -> T) async throws -> T { throw DatabaseError.busy }
    }

    @Test("a request succeeds although its proof cannot be written, and the next one writes it", arguments: Engine.allCases)
    func full(_ engine: Engine) async throws {
        try await run(engine) { issuer async throws in
            let database = issuer.server.backend.database
            _ = try await admit(issuer, database)("ada", nil, 10)
            #expect(try await admit(issuer, FullDatabase(base: database))("ada", Self.ada, 20).accountID == "ada")
            #expect(try await issuer.phones().isEmpty)
            _ = try await admit(issuer, database)("ada", Self.ada, 20)
            #expect(try await issuer.phones() == ["ada": Self.ada])
        }
    }

    // MARK: Races

    @Test("of accounts that prove one number at once, that of the newest token has it", arguments: Engine.allCases)
    func race(_ engine: Engine) async throws {
        try await run(engine) { issuer async throws in
            let accounts = issuer.server.backend.accounts
            for round in 0..<15 {
                let number = "+1415555\(1_000 + round)"
                // In every other round, the accounts are new.
                let names = (0..<8).map { "\(round % 2 == 0 ? "known" : "new-\(round)")-\($0)" }
                let seconds = (0..<8).map { Int64(round * 10 + $0) }.shuffled()
                let tokens = try zip(names, seconds).map { try issuer.token($0, phone: number, at: $1) }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    // Each token comes twice, because an app sends several requests when it starts.
                    for token in tokens + tokens { group.addTask { _ = try await accounts.viewer(bearer: token) } }
                    try await group.waitForAll()
                }
                let newest = try #require(zip(names, seconds).max { $0.1 < $1.1 }).0
                let holders = try await issuer.phones().filter { $0.value == number }.map(\.key)
                #expect(holders == [newest])
            }
        }
    }

    @Test("accounts that swap their numbers at once both get the other's, again and again", arguments: Engine.allCases)
    func swap(_ engine: Engine) async throws {
        try await run(engine) { issuer async throws in
            let accounts = issuer.server.backend.accounts
            for round in 0..<20 {
                let numbers = round % 2 == 0 ? [Self.ada, Self.eve] : [Self.eve, Self.ada]
                let tokens = try [
                    issuer.token("ada", phone: numbers[0], at: Int64(round * 2 + 1)),
                    issuer.token("eve", phone: numbers[1], at: Int64(round * 2 + (round % 3 == 0 ? 1 : 2))),
                ]
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for token in tokens { group.addTask { _ = try await accounts.viewer(bearer: token) } }
                    try await group.waitForAll()
                }
                #expect(try await issuer.phones() == ["ada": numbers[0], "eve": numbers[1]], "\(round)")
            }
        }
    }
}
