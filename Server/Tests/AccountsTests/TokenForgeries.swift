import Core
import Crypto
import Foundation
import KeepsakeWire
import TestKit

@testable import Accounts

extension TokenForgeryTests {
    static let algorithms: [Forgery] = [
        Forgery("alg none, no signature") {
            $0.header["alg"] = "none"
            return $0.body + "."
        },
        Forgery("alg none, a signature's length of bytes") {
            $0.header["alg"] = "none"
            return $0.body + "." + Base64URL.encode([UInt8](repeating: 1, count: 64))
        },
        Forgery("alg nOnE") {
            $0.header["alg"] = "nOnE"
            return $0.body + "."
        },
        Forgery("HS256 with the public key as its secret") {
            $0.header["alg"] = "HS256"
            return $0.hmac($0.key.publicKey.x963Representation)
        },
        Forgery("HS256 with the public key in PEM as its secret") {
            $0.header["alg"] = "HS256"
            return $0.hmac(Data($0.key.publicKey.pemRepresentation.utf8))
        },
        Forgery("HS256 with no secret, said to be ES256") { $0.hmac(Data()) },
        Forgery("HS256 in the header over a genuine signature") {
            $0.header["alg"] = "HS256"
            return try $0.sign()
        },
        Forgery("ES384 in the header over a genuine signature") {
            $0.header["alg"] = "ES384"
            return try $0.sign()
        },
        Forgery("es256 in small letters") {
            $0.header["alg"] = "es256"
            return try $0.sign()
        },
        Forgery("no alg") {
            $0.header["alg"] = nil
            return try $0.sign()
        },
        Forgery("alg is a list") {
            $0.header["alg"] = ["ES256"]
            return try $0.sign()
        },
    ]

    static let keys: [Forgery] = [
        Forgery("another key under the same kid") { try $0.sign(P256.Signing.PrivateKey()) },
        Forgery("another key, brought along as jwk") {
            let other = P256.Signing.PrivateKey()
            let point = Array(other.publicKey.x963Representation)
            $0.header["jwk"] = ["kty": "EC", "crv": "P-256", "x": Base64URL.encode(point[1..<33]), "y": Base64URL.encode(point[33..<65])]
            return try $0.sign(other)
        },
        Forgery("another key, to be fetched by jku") {
            $0.header["jku"] = "https://evil.example/keys.json"
            return try $0.sign(P256.Signing.PrivateKey())
        },
        Forgery("another key, to be fetched by x5u") {
            $0.header["x5u"] = "https://evil.example/chain.pem"
            return try $0.sign(P256.Signing.PrivateKey())
        },
        Forgery("another key under a kid of its own") {
            $0.header["kid"] = "evil"
            return try $0.sign(P256.Signing.PrivateKey())
        },
        // Without a check, the JWT library would fall back to the first key of the ring.
        Forgery("the genuine key under an unknown kid") {
            $0.header["kid"] = "unknown"
            return try $0.sign()
        },
        Forgery("a kid that is a path") {
            $0.header["kid"] = "../../../../dev/null"
            return $0.hmac(Data())
        },
        Forgery("a kid that is a statement") {
            $0.header["kid"] = "' UNION SELECT 'x' --"
            return try $0.sign(P256.Signing.PrivateKey())
        },
        Forgery("an empty kid") {
            $0.header["kid"] = ""
            return try $0.sign()
        },
        Forgery("no kid") {
            $0.header["kid"] = nil
            return try $0.sign()
        },
        Forgery("a kid that is a number") {
            $0.header["kid"] = 1
            return try $0.sign()
        },
    ]

    static let headers: [Forgery] = [
        Forgery("typ JWT") {
            $0.header["typ"] = "JWT"
            return try $0.sign()
        },
        Forgery("no typ") {
            $0.header["typ"] = nil
            return try $0.sign()
        },
        Forgery("typ of a refresh token") {
            $0.header["typ"] = "rt+jwt"
            return try $0.sign()
        },
        Forgery("a critical extension") {
            $0.header["crit"] = ["b64"]
            $0.header["b64"] = false
            return try $0.sign()
        },
        Forgery("crit is null") {
            $0.header["crit"] = NSNull()
            return try $0.sign()
        },
    ]

    static let claims: [Forgery] =
        [
            Forgery("expired long ago") {
                $0.claims["iat"] = $0.now - 7_200
                $0.claims["exp"] = $0.now - 3_600
                return try $0.sign()
            },
            Forgery("expired this second") {
                $0.claims["iat"] = $0.now - 3_600
                $0.claims["exp"] = $0.now
                return try $0.sign()
            },
            Forgery("issued 61 seconds from now") {
                $0.claims["iat"] = $0.now + 61
                $0.claims["exp"] = $0.now + 3_661
                return try $0.sign()
            },
            Forgery("over before it was issued") {
                $0.claims["iat"] = $0.now + 50
                $0.claims["exp"] = $0.now + 40
                return try $0.sign()
            },
            Forgery("another issuer") {
                $0.claims["iss"] = "https://evil.example"
                return try $0.sign()
            },
            Forgery("our issuer with a slash more") {
                $0.claims["iss"] = AccountsHome.issuer + "/"
                return try $0.sign()
            },
            Forgery("another audience") {
                $0.claims["aud"] = "other"
                return try $0.sign()
            },
            Forgery("a list of audiences with ours in it") {
                $0.claims["aud"] = ["keepsake", "other"]
                return try $0.sign()
            },
            Forgery("exp is a text") {
                $0.claims["exp"] = "\($0.now + 3_600)"
                return try $0.sign()
            },
            Forgery("exp beyond every number") {
                $0.claims["exp"] = 1e300
                return try $0.sign()
            },
            Forgery("an empty sub") {
                $0.claims["sub"] = ""
                return try $0.sign()
            },
            Forgery("an empty sid") {
                $0.claims["sid"] = ""
                return try $0.sign()
            },
        ]
        + ["iss", "aud", "sub", "sid", "iat", "exp", "jti"].map { name in
            Forgery("no \(name)") {
                $0.claims[name] = nil
                return try $0.sign()
            }
        }

    static let sessions: [Forgery] = [
        Forgery("another account in our session") {
            $0.claims["sub"] = $0.stranger.user.id
            return try $0.sign()
        },
        Forgery("another's session for our account") {
            $0.claims["sid"] = try await $0.session(of: $0.stranger)
            return try $0.sign()
        },
        Forgery("a session that never was") {
            $0.claims["sid"] = "01997e00-0000-7000-8000-000000000000"
            return try $0.sign()
        },
        Forgery("an ended session") {
            _ = try await $0.home.feature.signOut(try await $0.home.viewer($0.genuine.token))
            return $0.genuine.token.accessToken
        },
        Forgery("a deleted account") {
            try await $0.home.deleteAccount($0.genuine.user.id)
            return $0.genuine.token.accessToken
        },
        Forgery("a refresh token") { $0.genuine.token.refreshToken },
        Forgery("a token of another installation") { forge in
            try await AccountsHome.run(.sqlite) { try await $0.signUp().token.accessToken }
        },
    ]

    static let shapes: [Forgery] = [
        Forgery("nothing") { _ in "" },
        Forgery("garbage") { _ in "garbage" },
        Forgery("dots") { _ in ".." },
        Forgery("a hundred thousand dots") { _ in String(repeating: ".", count: 100_000) },
        Forgery("bytes that are not base64url") { forge in forge.parts.map { $0 + "!" }.joined(separator: ".") },
        Forgery("a header that is not JSON") { forge in "AAAA." + forge.parts[1...].joined(separator: ".") },
        Forgery("a header nested a thousand deep") { forge in
            Base64URL.encode(Array(String(repeating: "[", count: 1_000).utf8)) + "." + forge.parts[1...].joined(separator: ".")
        },
        Forgery("no signature") { forge in forge.parts[0] + "." + forge.parts[1] },
        Forgery("an empty signature") { forge in forge.parts[0] + "." + forge.parts[1] + "." },
        Forgery("a signature cut by a byte") { forge in String(forge.genuine.token.accessToken.dropLast(2)) },
        Forgery("a signature of zeros") { forge in forge.body + "." + Base64URL.encode([UInt8](repeating: 0, count: 64)) },
        Forgery("a signature with one bit turned") { forge in
            var signature = Base64URL.decode(forge.parts[2]) ?? []
            signature[40] ^= 1
            return forge.parts[0] + "." + forge.parts[1] + "." + Base64URL.encode(signature)
        },
        Forgery("a signature in DER") { forge in
            forge.body + "." + Base64URL.encode(try forge.key.signature(for: Data(forge.body.utf8)).derRepresentation)
        },
        Forgery("the genuine signature under other claims") { forge in
            forge.claims["sub"] = forge.stranger.user.id
            return forge.body + "." + forge.parts[2]
        },
        Forgery("a payload cut short") { forge in forge.parts[0] + "." + forge.parts[1].dropLast(4) + "." + forge.parts[2] },
        Forgery("a fourth segment") { forge in forge.genuine.token.accessToken + ".AAAA" },
        Forgery("an empty fourth segment") { forge in forge.genuine.token.accessToken + "." },
        Forgery("five segments, as an encrypted token has") { forge in forge.genuine.token.accessToken + ".AAAA.AAAA" },
        Forgery("padded base64") { forge in forge.genuine.token.accessToken + "==" },
        Forgery("a space before") { forge in " " + forge.genuine.token.accessToken },
        Forgery("a line break in the middle") { forge in forge.parts.joined(separator: ".\n") },
        Forgery("two tokens") { forge in forge.genuine.token.accessToken + " " + forge.genuine.token.accessToken },
        Forgery("a token longer than any of ours") { forge in
            forge.claims["more"] = String(repeating: "x", count: 2_048)
            return try forge.sign()
        },
    ]
}
