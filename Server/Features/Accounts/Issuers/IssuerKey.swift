internal import Core
internal import Crypto
internal import CryptoExtras
internal import Foundation
internal import JWTKit

/// A public key of an issuer of identity tokens.
struct IssuerKey: Sendable {
    private enum Material: Sendable {
        case rsa(_RSA.Signing.PublicKey)
        case p256(P256.Signing.PublicKey)
        case ed25519(Curve25519.Signing.PublicKey)
    }

    private let material: Material
    /// The only algorithm that this key verifies; the type of the key determines it. The caller compares the token's `alg` with it, so a
    /// forged token cannot choose a weaker algorithm.
    let algorithm: String

    func isGenuine(_ signature: [UInt8], of signed: [UInt8]) -> Bool {
        switch material {
        case .rsa(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: signed), padding: .insecurePKCS1v1_5)
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: SHA256.hash(data: signed))
        case .ed25519(let key): return key.isValidSignature(signature, for: signed)
        }
    }

    /// - Returns: `nil` for a key that is of another kind, for another use, or too weak.
    init?(_ jwk: JSONWebKey) {
        guard jwk.use ?? "sig" == "sig", jwk.operations?.contains("verify") ?? true else { return nil }
        switch (jwk.kty, jwk.crv) {
        case ("RSA", _):
            guard let n = jwk.n.flatMap({ Base64URL.decode($0) }), let e = jwk.e.flatMap({ Base64URL.decode($0) }),
                (256...1_025).contains(n.count), (1...8).contains(e.count), let key = try? _RSA.Signing.PublicKey(n: n, e: e),
                key.keySizeInBits >= 2_048
            else { return nil }
            (material, algorithm) = (.rsa(key), "RS256")
        case ("EC", "P-256"?):
            guard let x = jwk.x.flatMap({ Base64URL.decode($0) }), let y = jwk.y.flatMap({ Base64URL.decode($0) }), x.count == 32,
                y.count == 32, let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
            else { return nil }
            (material, algorithm) = (.p256(key), "ES256")
        case ("OKP", "Ed25519"?):
            guard let x = jwk.x.flatMap({ Base64URL.decode($0) }), let key = try? Curve25519.Signing.PublicKey(rawRepresentation: x)
            else { return nil }
            (material, algorithm) = (.ed25519(key), "EdDSA")
        default: return nil
        }
        guard jwk.alg ?? algorithm == algorithm else { return nil }
    }

    /// - Parameter certificate: X.509 in PEM, with an RSA key. Neither its signature nor its dates are checked: it is trusted because the
    ///   issuer's key URL served it over TLS, for as long as that response may be cached.
    init?(certificate: String) {
        guard let pem = try? Insecure.RSA.PublicKey(certificatePEM: certificate).pemRepresentation,
            let key = try? _RSA.Signing.PublicKey(pemRepresentation: pem), key.keySizeInBits >= 2_048
        else { return nil }
        (material, algorithm) = (.rsa(key), "RS256")
    }

    /// Parses a JSON Web Key Set (RFC 7517), or a map from key ids to certificates. Skips unusable keys. Of several keys with the same id,
    /// the first one counts.
    static func all(in document: [UInt8]) -> [String: IssuerKey] {
        let data = Data(document)
        var keys: [String: IssuerKey] = [:]
        if let set = try? JSONDecoder().decode(JSONWebKeySet.self, from: data) {
            for entry in set.keys.prefix(limit) {
                guard let jwk = entry.key, let kid = jwk.kid, !kid.isEmpty, keys[kid] == nil, let key = IssuerKey(jwk) else { continue }
                keys[kid] = key
            }
        } else if let map = try? JSONDecoder().decode([String: String].self, from: data) {
            for (kid, pem) in map.prefix(limit) where !kid.isEmpty { keys[kid] = IssuerKey(certificate: pem) }
        }
        return keys
    }

    /// The most keys that are read from one document. Issuers publish only a few.
    private static let limit = 64
}

struct JSONWebKey: Decodable {
    let kty: String
    let kid: String?
    let use: String?
    let alg: String?
    let operations: [String]?
    let crv: String?
    let n: String?
    let e: String?
    let x: String?
    let y: String?

    enum CodingKeys: String, CodingKey {
        case kty, kid, use, alg, crv, n, e, x, y
        case operations = "key_ops"
    }
}

private struct JSONWebKeySet: Decodable {
    /// A malformed key does not make the other keys of the set unreadable.
    struct Entry: Decodable {
        let key: JSONWebKey?

        init(from decoder: any Decoder) throws { key = try? JSONWebKey(from: decoder) }
    }

    let keys: [Entry]
}
