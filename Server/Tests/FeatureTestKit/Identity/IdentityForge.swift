import Accounts
import Core
import Crypto
import CryptoExtras
import Database
import Foundation
import TestKit

@testable import keepsake

/// An endpoint that accepts identity tokens.
enum TokenEndpoint: String, Sendable, CaseIterable {
    case appleBody, oidcBody, firebaseBody, firebaseBearer, oidcBearer

    var issuer: IssuerStandIn.Issuer {
        switch self {
        case .appleBody: .apple
        case .firebaseBody, .firebaseBearer: .firebase
        case .oidcBody, .oidcBearer: .oidc
        }
    }

    /// The keys in the body of an error of this endpoint.
    var errorKeys: Set<String> { self == .oidcBearer ? ["error", "details", "code"] : ["error", "message"] }

    func send(_ server: TestServer, _ standIn: IssuerStandIn, _ token: String) async throws -> TestServer.Answer {
        switch self {
        case .appleBody: try await server.post("/auth/apple", ["identity_token": token])
        case .oidcBody, .firebaseBody:
            try await server.post("/auth/oidc", ["issuer": IdentityForge.issuer(issuer, standIn), "id_token": token])
        case .firebaseBearer: try await server.send("GET", "/user/me", headers: [("Authorization", "Bearer \(token)")])
        case .oidcBearer:
            try await server.send("GET", "/api/users/user/somebody/multimedia", headers: [("Authorization", "Bearer \(token)")])
        }
    }
}

/// Makes identity tokens. A test can change their claims and their key like an attacker, and can also use the genuine keys, which no
/// attacker has.
final class IdentityForge {
    static let apps: [IssuerStandIn.Issuer: String] = [.apple: "org.example.app", .firebase: "example-app", .oidc: "client-1"]

    let kind: IssuerStandIn.Issuer
    let standIn: IssuerStandIn
    let clock: TestClock
    var header: [String: Any]
    var claims: [String: Any]

    init(_ kind: IssuerStandIn.Issuer, _ standIn: IssuerStandIn, _ clock: TestClock, subject: String = "somebody") {
        self.kind = kind
        self.standIn = standIn
        self.clock = clock
        header = ["alg": "RS256", "kid": "\(kind)-1"]
        if kind != .apple { header["typ"] = "JWT" }
        claims = [
            "iss": Self.issuer(kind, standIn), "aud": Self.apps[kind] ?? "", "sub": subject, "iat": clock.now.seconds,
            "exp": clock.now.seconds + 3_600,
        ]
        if kind != .apple { claims["auth_time"] = clock.now.seconds }
    }

    static func issuer(_ kind: IssuerStandIn.Issuer, _ standIn: IssuerStandIn) -> String {
        switch kind {
        case .apple: AppleStandIn.issuer
        case .firebase: "https://securetoken.google.com/example-app"
        case .oidc: standIn.url(.oidc)
        }
    }

    static func settings(_ standIn: IssuerStandIn) -> IdentitySettings {
        var apple = AppleSettings(clientIDs: ["org.example.app", "org.example.web"])
        apple.keysURL = standIn.url(.apple) + "/keys"
        apple.tokenURL = standIn.url(.apple) + "/token"
        apple.revokeURL = standIn.url(.apple) + "/revoke"
        var firebase = FirebaseSettings(projectID: "example-app")
        firebase.keysURL = standIn.url(.firebase) + "/keys"
        return IdentitySettings(
            apple: apple, firebase: firebase, issuers: [OIDCSettings(issuer: standIn.url(.oidc), audiences: ["client-1", "client-2"])])
    }

    var now: Int64 { clock.now.seconds }
    var key: _RSA.Signing.PrivateKey { TestKeys.of(kind) }
    var body: String { "\(segment(header)).\(segment(claims))" }
    func segment(_ object: [String: Any]) -> String {
        segment(String(decoding: (try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])) ?? Data(), as: UTF8.self))
    }
    func segment(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }

    /// Signs the current `header` and `claims` with `other`, or by default with the genuine key.
    func sign(_ other: _RSA.Signing.PrivateKey? = nil) throws -> String { try (other ?? key).sign(body) }

    func hmac(_ secret: Data) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Data(body.utf8), using: SymmetricKey(data: secret))
        return "\(body).\(Base64URL.encode(code))"
    }

    /// Signs claims that are given as JSON text, because a dictionary cannot represent every JSON.
    func sign(claims text: String) throws -> String { try key.sign("\(segment(header)).\(segment(text))") }

    var claimsText: String {
        String(
            decoding: (try? JSONSerialization.data(withJSONObject: claims, options: [.sortedKeys, .withoutEscapingSlashes])) ?? Data(),
            as: UTF8.self)
    }
}

struct IdentityForgery: Sendable {
    let name: String
    let make: @Sendable (IdentityForge) throws -> String

    init(_ name: String, _ make: @escaping @Sendable (IdentityForge) throws -> String) {
        self.name = name
        self.make = make
    }
}

extension TestServer {
    func post(_ path: String, _ object: [String: Any], as person: Person? = nil) async throws -> Answer {
        try await send(
            "POST", path, as: person, headers: [("Content-Type", "application/json")], body: JSONSerialization.data(withJSONObject: object))
    }

    func identities() async throws -> Int {
        try await backend.database.read { tx in try tx.row("SELECT count(*) AS n FROM identity")?.get("n") ?? -1 }
    }

    func accounts() async throws -> Int {
        try await backend.database.read { tx in try tx.row("SELECT count(*) AS n FROM account")?.get("n") ?? -1 }
    }
}
