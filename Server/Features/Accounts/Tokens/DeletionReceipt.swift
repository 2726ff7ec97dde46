internal import Core
internal import JWTKit
internal import KeepsakeWire

/// The claims of a deletion receipt. Times are whole seconds since 1970, except for `deleted_at`.
struct DeletionReceipt: JWTPayload {
    static let type = "keepsake-receipt+jwt"

    let iss: String
    /// The account's id.
    let sub: String
    let event: String
    let deletedAt: String
    let iat: Int64
    let jti: String

    enum CodingKeys: String, CodingKey {
        case iss, sub, event, iat, jti
        case deletedAt = "deleted_at"
    }

    // This server never verifies a receipt.
    func verify(using algorithm: some JWTAlgorithm) {}
}

extension AccessTokens {
    /// Signs a receipt. It cannot be used as an access token: it has another `typ`, no audience and no expiry.
    func receipt(of account: String, deletedAt: Timestamp) async throws -> Secret<String> {
        let loaded = try await keys.current()
        guard let key = loaded.ring.signer(at: deletedAt) else { throw Problem(.fault, "There is no key to sign with.") }
        let receipt = DeletionReceipt(
            iss: issuer(), sub: account, event: "account.deleted",
            deletedAt: WireDate.format(microseconds: deletedAt.microseconds, .microseconds), iat: deletedAt.seconds,
            jti: Base64URL.encode(entropy.bytes(16)))
        let header: JWTHeader = ["typ": .string(DeletionReceipt.type), "alg": .string(Self.algorithm)]
        return Secret(try await loaded.signers.exposed.sign(receipt, kid: JWKIdentifier(string: key.kid), header: header))
    }
}
