internal import Core
internal import Foundation

/// An identity token: a JWT (RFC 7519) that an issuer signed. Parsed, but not verified.
struct IdentityToken: Sendable {
    /// The longest accepted token. Firebase's and Apple's tokens have about 1,000 bytes.
    static let maxByteCount = 8_192

    let kid: String
    let algorithm: String
    let claims: IdentityClaims
    let signed: [UInt8]
    let signature: [UInt8]

    /// - Returns: `nil` unless the text follows the standards strictly and can be read in one way only.
    init?(_ text: String) {
        guard text.utf8.count <= Self.maxByteCount else { return nil }
        let segments = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.count == 3, let first = Base64URL.decode(String(decoding: segments[0], as: UTF8.self)),
            let second = Base64URL.decode(String(decoding: segments[1], as: UTF8.self)),
            let signature = Base64URL.decode(String(decoding: segments[2], as: UTF8.self)), !signature.isEmpty,
            JSONMembers.areUnique(in: first), JSONMembers.areUnique(in: second),
            let header = try? JSONDecoder().decode(Header.self, from: Data(first)), header.isPlain,
            let claims = try? JSONDecoder().decode(IdentityClaims.self, from: Data(second))
        else { return nil }
        kid = header.kid
        algorithm = header.alg
        self.claims = claims
        signed = Array(text.utf8.prefix(segments[0].count + 1 + segments[1].count))
        self.signature = signature
    }

    /// The header members that are used. Keys that a header embeds or links to (`jwk`, `jku`, `x5c`, `x5u`) are not read.
    private struct Header: Decodable {
        let alg: String
        let kid: String
        /// Whether `typ` is `JWT` or absent. Other kinds of token, such as access tokens, have other types (RFC 8725 §3.11).
        let isPlain: Bool

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            alg = try container.decode(String.self, forKey: .alg)
            kid = try container.decode(String.self, forKey: .kid)
            let type = container.contains(.typ) ? try container.decode(String.self, forKey: .typ) : "JWT"
            // RFC 7515 §4.1.11: a reader that does not understand a critical header must refuse it. `b64` would change what is signed (RFC
            // 7797).
            isPlain = type.uppercased() == "JWT" && !kid.isEmpty && !container.contains(.crit) && !container.contains(.b64)
        }

        private enum CodingKeys: CodingKey { case alg, typ, kid, crit, b64 }
    }
}

/// The claims that are used. Times are whole seconds since 1970, rounded down.
struct IdentityClaims: Sendable, Decodable {
    let issuer: String
    let audiences: [String]
    /// `azp`: the client that the token was issued to, when it has several audiences.
    let authorizedParty: String?
    let subject: String
    let issuedAt: Int64
    let expiresAt: Int64
    let notBefore: Int64?
    /// When the user signed in; every Firebase token has it.
    let authenticatedAt: Int64?
    let nonce: String?
    let email: String?
    let isEmailVerified: Bool
    let phoneNumber: String?
    let isPhoneNumberVerified: Bool
    let name: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        issuer = try container.decode(String.self, forKey: .iss)
        if let one = try? container.decode(String.self, forKey: .aud) {
            audiences = [one]
        } else {
            audiences = try container.decode([String].self, forKey: .aud)
        }
        authorizedParty = try container.decodeIfPresent(String.self, forKey: .azp)
        subject = try container.decode(String.self, forKey: .sub)
        issuedAt = try Self.seconds(container, .iat)
        expiresAt = try Self.seconds(container, .exp)
        notBefore = container.contains(.nbf) ? try Self.seconds(container, .nbf) : nil
        authenticatedAt = container.contains(.authenticatedAt) ? try Self.seconds(container, .authenticatedAt) : nil
        nonce = try container.decodeIfPresent(String.self, forKey: .nonce)
        // The claims below are optional. A malformed one does not make the token invalid.
        email = (try? container.decodeIfPresent(String.self, forKey: .email)) ?? nil
        // Apple sometimes sends the boolean as a string.
        isEmailVerified =
            (try? container.decode(Bool.self, forKey: .isEmailVerified))
            ?? ((try? container.decode(String.self, forKey: .isEmailVerified)) == "true")
        phoneNumber = (try? container.decodeIfPresent(String.self, forKey: .phoneNumber)) ?? nil
        isPhoneNumberVerified = (try? container.decode(Bool.self, forKey: .isPhoneNumberVerified)) ?? false
        name = (try? container.decodeIfPresent(String.self, forKey: .name)) ?? nil
    }

    /// Reads a time and rounds it down to a second. RFC 7519 §2 allows fractions of a second.
    private static func seconds(_ container: KeyedDecodingContainer<CodingKeys>, _ key: CodingKeys) throws -> Int64 {
        let value = try container.decode(Double.self, forKey: key)
        guard (0...100_000_000_000).contains(value) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: container, debugDescription: "no time")
        }
        return Int64(value.rounded(.down))
    }

    private enum CodingKeys: String, CodingKey {
        case iss, aud, azp, sub, iat, exp, nbf, nonce, email, name
        case authenticatedAt = "auth_time"
        case isEmailVerified = "email_verified"
        case phoneNumber = "phone_number"
        case isPhoneNumberVerified = "phone_number_verified"
    }
}

/// Whether no object of a JSON text repeats a member name. Parsers differ in which of the two members they read, so RFC 8725 §3.10 requires
/// such tokens to be refused. The decoder checks the rest of the grammar. A text with more than `maxEscapedCount` escaped names is refused,
/// too.
enum JSONMembers {
    private static let maxDepth = 32
    /// Some issuers escape the slashes of names that are URLs. A token has few such names.
    static let maxEscapedCount = 64

    static func areUnique(in text: [UInt8]) -> Bool {
        guard text.first == UInt8(ascii: "{"), String(validating: text, as: UTF8.self) != nil else { return false }
        // The names are hashed below, and `UntrustedJSON.check` refuses text that is expensive to hash.
        guard (try? text.withUnsafeBytes { try UntrustedJSON.check($0) }) != nil else { return false }
        /// The names seen so far in each open object; `nil` for an array.
        var open: [Set<String>?] = []
        var expectsName = false
        var escapedLeft = maxEscapedCount
        var index = 0
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                guard open.count < maxDepth else { return false }
                expectsName = text[index] == UInt8(ascii: "{")
                open.append(expectsName ? [] : nil)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard !open.isEmpty else { return false }
                open.removeLast()
                expectsName = false
            case UInt8(ascii: ","):
                expectsName = open.last.flatMap { $0 } != nil
            case UInt8(ascii: "\""):
                guard let end = end(ofTextAt: index, in: text) else { return false }
                if expectsName {
                    // Compare unescaped names: "\u0069ss" is "iss".
                    guard let name = unescaped(text[index...end], &escapedLeft),
                        open[open.count - 1]?.insert(name).inserted == true
                    else { return false }
                    expectsName = false
                }
                index = end
            default: break
            }
            index += 1
        }
        return open.isEmpty
    }

    /// - Parameters:
    ///   - name: a JSON member's name, with its quotes.
    ///   - escapedLeft: how many more escaped names are allowed.
    /// - Returns: `nil` if the name is malformed, or if it is escaped and no more escaped names are allowed.
    private static func unescaped(_ name: ArraySlice<UInt8>, _ escapedLeft: inout Int) -> String? {
        let bytes = name.dropFirst().dropLast()
        // This runs on the event loop. A decoder for each name would take longer than everything else here.
        if bytes.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\\") }) { return String(decoding: bytes, as: UTF8.self) }
        guard escapedLeft > 0 else { return nil }
        escapedLeft -= 1
        return try? JSONDecoder().decode(String.self, from: Data(name))
    }

    private static func end(ofTextAt start: Int, in text: [UInt8]) -> Int? {
        var index = start + 1
        while index < text.count {
            switch text[index] {
            case UInt8(ascii: "\\"): index += 2
            case UInt8(ascii: "\""): return index
            default: index += 1
            }
        }
        return nil
    }
}
