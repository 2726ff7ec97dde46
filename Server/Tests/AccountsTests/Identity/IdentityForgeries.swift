import Core
import Crypto
import CryptoExtras
import Foundation

@testable import FeatureTestKit

extension IdentityForgery {
    static let all = algorithms + keys + headers + times + claims + shapes

    private static func header(_ name: String, _ key: String, _ value: sending Any?) -> IdentityForgery {
        nonisolated(unsafe) let value = value
        return IdentityForgery(name) {
            $0.header[key] = value
            return try $0.sign()
        }
    }

    private static func claim(_ name: String, _ key: String, _ value: sending Any?) -> IdentityForgery {
        nonisolated(unsafe) let value = value
        return IdentityForgery(name) {
            $0.claims[key] = value
            return try $0.sign()
        }
    }

    private static let algorithms: [IdentityForgery] = [
        IdentityForgery("alg none, no signature") {
            $0.header["alg"] = "none"
            return $0.body + "."
        },
        IdentityForgery("alg none, a signature's length of bytes") {
            $0.header["alg"] = "none"
            return $0.body + "." + Base64URL.encode([UInt8](repeating: 1, count: 256))
        },
        IdentityForgery("alg nOnE") {
            $0.header["alg"] = "nOnE"
            return $0.body + "."
        },
        header("alg none over a genuine signature", "alg", "none"),
        IdentityForgery("HS256 with the public key in PEM as its secret") {
            $0.header["alg"] = "HS256"
            return $0.hmac(Data($0.key.publicKey.pemRepresentation.utf8))
        },
        IdentityForgery("HS256 with the public key in DER as its secret") {
            $0.header["alg"] = "HS256"
            return $0.hmac($0.key.publicKey.derRepresentation)
        },
        IdentityForgery("HS256 with the modulus as its secret") {
            $0.header["alg"] = "HS256"
            return $0.hmac(Data($0.key.n.utf8))
        },
        IdentityForgery("HS256 said to be RS256") { $0.hmac($0.key.publicKey.derRepresentation) },
        IdentityForgery("HS256 with an empty secret") {
            $0.header["alg"] = "HS256"
            return $0.hmac(Data())
        },
        header("HS256 over a genuine signature", "alg", "HS256"),
        header("RS384 over an RS256 signature", "alg", "RS384"),
        header("RS512 over an RS256 signature", "alg", "RS512"),
        header("PS256 over an RS256 signature", "alg", "PS256"),
        IdentityForgery("an RSA-PSS signature said to be RS256") {
            let digest = SHA256.hash(data: Data($0.body.utf8))
            return $0.body + "." + Base64URL.encode(try $0.key.signature(for: digest, padding: .PSS).rawRepresentation)
        },
        IdentityForgery("a SHA-1 signature said to be RS256") {
            let digest = Insecure.SHA1.hash(data: Data($0.body.utf8))
            return $0.body + "." + Base64URL.encode(try $0.key.signature(for: digest, padding: .insecurePKCS1v1_5).rawRepresentation)
        },
        IdentityForgery("ES256 with the forger's key") {
            $0.header["alg"] = "ES256"
            return $0.body + "." + Base64URL.encode(try P256.Signing.PrivateKey().signature(for: Data($0.body.utf8)).rawRepresentation)
        },
        IdentityForgery("EdDSA with the forger's key") {
            $0.header["alg"] = "EdDSA"
            return $0.body + "." + Base64URL.encode(try Curve25519.Signing.PrivateKey().signature(for: Data($0.body.utf8)))
        },
        header("rs256 in small letters", "alg", "rs256"), header("no alg", "alg", nil), header("alg is a list", "alg", ["RS256"]),
        header("alg is null", "alg", NSNull()), header("alg is empty", "alg", ""),
    ]

    private static let keys: [IdentityForgery] = [
        IdentityForgery("the forger's key under the genuine kid") { try $0.sign(TestKeys.forger) },
        IdentityForgery("the forger's key, brought along as jwk") {
            $0.header["jwk"] = ["kty": "RSA", "kid": $0.header["kid"] as? String ?? "", "n": TestKeys.forger.n, "e": TestKeys.forger.e]
            return try $0.sign(TestKeys.forger)
        },
        IdentityForgery("the forger's key, to be found at jku") {
            $0.header["jku"] = $0.standIn.url(.oidc) + "/forger"
            return try $0.sign(TestKeys.forger)
        },
        IdentityForgery("the forger's key, to be found at x5u") {
            $0.header["x5u"] = $0.standIn.url(.oidc) + "/forger"
            return try $0.sign(TestKeys.forger)
        },
        IdentityForgery("the forger's key, brought along as x5c") {
            $0.header["x5c"] = [TestKeys.forger.publicKey.derRepresentation.base64EncodedString()]
            return try $0.sign(TestKeys.forger)
        },
        IdentityForgery("the forger's key under a kid of its own") {
            $0.header["kid"] = "forger-1"
            return try $0.sign(TestKeys.forger)
        },
        IdentityForgery("another issuer's key under its own kid") { forge in
            let other = IssuerStandIn.Issuer.allCases.first { $0 != forge.kind } ?? .apple
            forge.header["kid"] = "\(other)-1"
            return try forge.sign(TestKeys.of(other))
        },
        IdentityForgery("another issuer's key under our issuer's kid") { forge in
            try forge.sign(TestKeys.of(IssuerStandIn.Issuer.allCases.first { $0 != forge.kind } ?? .apple))
        },
        IdentityForgery("another issuer's whole token") { forge in
            let other = IssuerStandIn.Issuer.allCases.last { $0 != forge.kind && $0 != .oidc } ?? .oidc
            // A bearer endpoint accepts every configured bearer issuer, so this forgery uses Apple, which such an endpoint never accepts.
            return try IdentityForge(forge.kind == .apple ? other : .apple, forge.standIn, forge.clock).sign()
        },
        header("the genuine key under an unknown kid", "kid", "unknown"), header("an empty kid", "kid", ""), header("no kid", "kid", nil),
        header("a kid that is a number", "kid", 1), header("a kid that is a list", "kid", ["apple-1"]),
        header("a kid that is a path", "kid", "../../../../dev/null"),
        header("a kid that is a statement", "kid", "x' UNION SELECT 'y' --"),
        header("a kid that is an address", "kid", "http://127.0.0.1:1/keys"),
        header("a kid of 4,000 letters", "kid", String(repeating: "k", count: 4_000)),
    ]

    private static let headers: [IdentityForgery] = [
        header("typ of an access token", "typ", "at+jwt"), header("typ of a logout token", "typ", "logout+jwt"),
        header("typ of a security event", "typ", "secevent+jwt"), header("typ is a number", "typ", 1),
        header("typ is null", "typ", NSNull()),
        header("a critical extension", "crit", ["exp"]), header("crit is empty", "crit", [String]()),
        header("crit is null", "crit", NSNull()),
        header("b64 false", "b64", false),
        IdentityForgery("alg twice, none first") { forge in
            let text = #"{"alg":"none","alg":"RS256","kid":"\#(forge.kind)-1"}"#
            return try forge.key.sign("\(forge.segment(text)).\(forge.segment(forge.claims))")
        },
        IdentityForgery("kid twice") { forge in
            let text = #"{"alg":"RS256","kid":"forger-1","kid":"\#(forge.kind)-1"}"#
            return try forge.key.sign("\(forge.segment(text)).\(forge.segment(forge.claims))")
        },
        IdentityForgery("a header that is a list") { try $0.key.sign("\($0.segment("[]")).\($0.segment($0.claims))") },
        IdentityForgery("a header nested a thousand deep") {
            try $0.key.sign("\($0.segment(String(repeating: "[", count: 1_000))).\($0.segment($0.claims))")
        },
    ]

    private static func at(_ name: String, issued: Int64 = 0, ends: Int64 = 3_600, _ other: String? = nil, _ value: Int64 = 0)
        -> IdentityForgery
    {
        IdentityForgery(name) {
            $0.claims["iat"] = $0.now + issued
            $0.claims["exp"] = $0.now + ends
            if let other { $0.claims[other] = $0.now + value }
            return try $0.sign()
        }
    }

    private static let times: [IdentityForgery] =
        [
            at("expired long ago", issued: -90_000, ends: -86_400), at("expired 60 seconds ago", issued: -3_660, ends: -60),
            at("issued 61 seconds from now", issued: 61, ends: 3_661), at("issued next year", issued: 31_536_000, ends: 31_539_600),
            at("not valid before 61 seconds from now", "nbf", 61), at("over before it was issued", issued: 50, ends: 40),
            at("over when it was issued", issued: 0, ends: 0), at("good for 31 days", ends: 31 * 86_400),
            claim("exp is a text", "exp", "4102444800"), claim("exp beyond every number", "exp", 1e300),
            claim("exp is negative", "exp", -1),
            claim("exp is null", "exp", NSNull()), claim("exp is true", "exp", true), claim("iat is a text", "iat", "1"),
            claim("iat is negative", "iat", -1), claim("nbf is a text", "nbf", "0"),
        ]

    private static let claims: [IdentityForgery] =
        [
            claim("another issuer", "iss", "https://evil.example"), claim("an empty issuer", "iss", ""),
            claim("an issuer that is a list", "iss", ["https://appleid.apple.com"]),
            IdentityForgery("the issuer with a slash more") {
                $0.claims["iss"] = ($0.claims["iss"] as? String ?? "") + "/"
                return try $0.sign()
            },
            IdentityForgery("the issuer in capitals") {
                $0.claims["iss"] = ($0.claims["iss"] as? String ?? "").uppercased()
                return try $0.sign()
            },
            IdentityForgery("the issuer with a space more") {
                $0.claims["iss"] = ($0.claims["iss"] as? String ?? "") + " "
                return try $0.sign()
            },
            IdentityForgery("an issuer that begins like ours") {
                $0.claims["iss"] = ($0.claims["iss"] as? String ?? "") + ".evil.example"
                return try $0.sign()
            },
            claim("another audience", "aud", "org.evil.app"), claim("an empty audience", "aud", ""),
            claim("no audiences", "aud", [String]()),
            claim("an audience that is a number", "aud", 7), claim("an audience that is null", "aud", NSNull()),
            IdentityForgery("our audience with a space more") {
                $0.claims["aud"] = ($0.claims["aud"] as? String ?? "") + " "
                return try $0.sign()
            },
            IdentityForgery("another issuer's audience") {
                $0.claims["aud"] = IdentityForge.apps[$0.kind == .apple ? .firebase : .apple]
                return try $0.sign()
            },
            IdentityForgery("ours among others, made for nobody in particular") {
                $0.claims["aud"] = ["org.evil.app", $0.claims["aud"] as? String ?? ""]
                return try $0.sign()
            },
            IdentityForgery("ours among others, made for another") {
                $0.claims["aud"] = [$0.claims["aud"] as? String ?? "", "org.evil.app"]
                $0.claims["azp"] = "org.evil.app"
                return try $0.sign()
            },
            claim("an empty sub", "sub", ""), claim("a sub that is a number", "sub", 7), claim("a sub that is null", "sub", NSNull()),
            claim("a sub of 256 bytes", "sub", String(repeating: "s", count: 256)), claim("a sub with a NUL", "sub", "some\u{0}body"),
            IdentityForgery("sub twice") { try $0.sign(claims: #"{"sub":"victim",\#($0.claimsText.dropFirst())"#) },
            IdentityForgery("sub twice, once escaped") { try $0.sign(claims: #"{"\u0073ub":"victim",\#($0.claimsText.dropFirst())"#) },
            IdentityForgery("aud twice") { try $0.sign(claims: #"{"aud":"org.evil.app",\#($0.claimsText.dropFirst())"#) },
            IdentityForgery("exp twice") { try $0.sign(claims: #"{"exp":4102444800,\#($0.claimsText.dropFirst())"#) },
            IdentityForgery("a claim whose name is 31 combining marks") {
                try $0.sign(claims: #"{"\#(String(repeating: "\u{301}", count: 31))":1,\#($0.claimsText.dropFirst())"#)
            },
            IdentityForgery("claims that are a list") { try $0.sign(claims: "[\($0.claimsText)]") },
            IdentityForgery("claims that are a text") { try $0.sign(claims: #""claims""#) },
            IdentityForgery("claims with something after them") { try $0.sign(claims: $0.claimsText + "x") },
            IdentityForgery("claims that are not UTF-8") {
                let text = Array($0.claimsText.dropLast().utf8) + Array(#","x":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
                return try $0.key.sign("\($0.segment($0.header)).\(Base64URL.encode(text))")
            },
        ]
        + ["iss", "aud", "sub", "iat", "exp"].map { claim("no \($0)", $0, nil) }

    private static let shapes: [IdentityForgery] = [
        IdentityForgery("nothing") { _ in "" }, IdentityForgery("garbage") { _ in "garbage" }, IdentityForgery("dots") { _ in ".." },
        IdentityForgery("no signature") { $0.body }, IdentityForgery("an empty signature") { $0.body + "." },
        IdentityForgery("a signature of zeros") { $0.body + "." + Base64URL.encode([UInt8](repeating: 0, count: 256)) },
        IdentityForgery("a signature with one bit turned") {
            let parts = try $0.sign().split(separator: ".").map(String.init)
            var signature = Base64URL.decode(parts[2]) ?? []
            signature[100] ^= 1
            return "\(parts[0]).\(parts[1]).\(Base64URL.encode(signature))"
        },
        IdentityForgery("a signature cut by a byte") {
            let parts = try $0.sign().split(separator: ".").map(String.init)
            return "\(parts[0]).\(parts[1]).\(Base64URL.encode((Base64URL.decode(parts[2]) ?? []).dropLast()))"
        },
        IdentityForgery("a signature with a zero before it") {
            let parts = try $0.sign().split(separator: ".").map(String.init)
            return "\(parts[0]).\(parts[1]).\(Base64URL.encode([0] + (Base64URL.decode(parts[2]) ?? [])))"
        },
        IdentityForgery("the genuine signature under other claims") {
            let signature = try $0.sign().split(separator: ".")[2]
            $0.claims["sub"] = "victim"
            return "\($0.body).\(signature)"
        },
        IdentityForgery("a fourth segment") { try $0.sign() + ".AAAA" },
        IdentityForgery("five segments, as an encrypted token has") { try $0.sign() + ".AAAA.AAAA" },
        IdentityForgery("padded base64") { try $0.sign() + "==" },
        IdentityForgery("base64 with a plus") { try "\($0.sign().dropLast(1))+" },
        IdentityForgery("two tokens") { try $0.sign() + " " + $0.sign() },
        IdentityForgery("longer than any") {
            $0.claims["more"] = String(repeating: "x", count: 8_192)
            return try $0.sign()
        },
    ]
}
