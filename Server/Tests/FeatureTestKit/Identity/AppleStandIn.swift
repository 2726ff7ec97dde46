import Core
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Simulates Apple's `/auth/token` and `/auth/revoke`, as Apple's reference describes them. It takes forms, responds with JSON, checks
/// client secrets, and accepts each code once.
struct AppleStandIn: Sendable {
    static let team = "TEAM123456"
    static let keyID = "KEY1234567"
    static let clientKey = P256.Signing.PrivateKey()
    static let issuer = "https://appleid.apple.com"

    /// The issued codes. Each has the app and an identity token of the user for whom it was issued.
    var codes: [String: (clientID: String, idToken: String)] = [:]
    /// The refresh tokens that are valid.
    var tokens: Set<String> = []
    /// The number of requests that get 429 before others succeed.
    var limited = 0
    /// The status of every response during an outage; `nil` if Apple is available.
    var outage: HTTPResponse.Status?
    var now: Int64 = 0
    /// The client secrets that were received, so that tests can check that they appear nowhere else.
    var secretsSeen: [String] = []

    mutating func answer(_ path: String, _ type: String?, _ body: Data) -> Response {
        if let outage { return Response(status: outage) }
        if limited > 0 {
            limited -= 1
            return Response(status: .tooManyRequests, headers: [.retryAfter: "7"])
        }
        guard type == "application/x-www-form-urlencoded" else { return refusal("invalid_request") }
        let form = Self.form(body)
        guard let clientID = form["client_id"], let secret = form["client_secret"] else { return refusal("invalid_request") }
        secretsSeen.append(secret)
        guard isGenuine(secret, clientID) else { return refusal("invalid_client") }
        if path == "revoke" {
            guard let token = form["token"], form["token_type_hint"] == "refresh_token" else { return refusal("invalid_request") }
            // Revoking a token that is already invalid gets the same response.
            tokens.remove(token)
            return Response(status: .ok)
        }
        guard form["grant_type"] == "authorization_code" else { return refusal("unsupported_grant_type") }
        guard let code = form["code"], let given = codes[code], given.clientID == clientID else { return refusal("invalid_grant") }
        codes[code] = nil
        let refresh = "r.canary.\(code)"
        tokens.insert(refresh)
        return json(
            #"{"access_token":"a.\#(code)","token_type":"Bearer","expires_in":3600,"refresh_token":"\#(refresh)","id_token":"\#(given.idToken)"}"#
        )
    }

    /// Whether the client secret is valid: Apple requires ES256 with the team's key, Apple as audience, the team as issuer, the app as
    /// subject, and a lifetime of at most six months.
    private func isGenuine(_ secret: String, _ clientID: String) -> Bool {
        let parts = secret.split(separator: ".").map(String.init)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            header["alg"] as? String == "ES256", header["kid"] as? String == Self.keyID,
            claims["iss"] as? String == Self.team, claims["aud"] as? String == Self.issuer, claims["sub"] as? String == clientID,
            let issuedAt = claims["iat"] as? Int64, let end = claims["exp"] as? Int64, issuedAt <= now, now < end,
            end - issuedAt <= 15_777_000, let raw = Base64URL.decode(parts[2]),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: raw)
        else { return false }
        return Self.clientKey.publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8))
    }

    private static func object(_ segment: String) -> [String: Any]? {
        Base64URL.decode(segment).flatMap { try? JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] }
    }

    private static func form(_ body: Data) -> [String: String] {
        String(decoding: body, as: UTF8.self).split(separator: "&").reduce(into: [:]) { form, pair in
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacing("+", with: " ").removingPercentEncoding ?? ""
            }
            if sides.count == 2 { form[sides[0]] = sides[1] }
        }
    }

    private func refusal(_ error: String) -> Response { json(#"{"error":"\#(error)"}"#, .badRequest) }

    private func json(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json;charset=UTF-8"], body: .init(byteBuffer: ByteBuffer(string: text)))
    }
}
