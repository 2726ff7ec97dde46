import Core
import Crypto
import Foundation
import KeepsakeWire
import TestKit
import Testing

@testable import Accounts

/// What an attacker could have, and more: a genuine token, and also the genuine key, which signs forgeries that must have a valid
/// signature.
final class TokenForge {
    let home: AccountsHome
    let genuine: SignedIn
    let stranger: SignedIn
    let key: P256.Signing.PrivateKey
    var header: [String: Any]
    var claims: [String: Any]

    init(_ home: AccountsHome) async throws {
        self.home = home
        genuine = try await home.signUp("ada@example.org")
        stranger = try await home.signUp("eve@example.org")
        let signer = try #require(try await home.store.keys().signer(at: home.clock.now))
        key = try P256.Signing.PrivateKey(rawRepresentation: signer.privateKey.exposed)
        header = ["alg": "ES256", "typ": "at+jwt", "kid": signer.kid]
        claims = try Opened(genuine.token.accessToken).claims
    }

    var now: Int64 { home.clock.now.seconds }
    var parts: [String] { genuine.token.accessToken.split(separator: ".").map(String.init) }
    var body: String { "\(segment(header)).\(segment(claims))" }

    func segment(_ object: [String: Any]) -> String {
        Base64URL.encode((try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys])) ?? Data())
    }

    /// Signs the current `header` and `claims` with `other`, by default with the genuine key.
    func sign(_ other: P256.Signing.PrivateKey? = nil) throws -> String {
        let signature = try (other ?? key).signature(for: Data(body.utf8)).rawRepresentation
        return "\(body).\(Base64URL.encode(signature))"
    }

    func hmac(_ secret: Data) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Data(body.utf8), using: SymmetricKey(data: secret))
        return "\(body).\(Base64URL.encode(code))"
    }

    func session(of signedIn: SignedIn) async throws -> String { try await home.viewer(signedIn.token).sessionID ?? "" }
}

struct Forgery: Sendable, CustomTestStringConvertible {
    let name: String
    let make: @Sendable (TokenForge) async throws -> String
    var testDescription: String { name }

    init(_ name: String, _ make: @escaping @Sendable (TokenForge) async throws -> String) {
        self.name = name
        self.make = make
    }
}
