public import Foundation
import HTTPTypes

/// `/auth/delete` and `/auth/export`: surface 4, with JSON keys in snake_case. `/delete-user`: surface 1.
public enum AccountDataEndpoints {
    /// Closes the account immediately; the server deletes its data shortly after.
    public static let delete = Endpoint<DeleteAccountInput, DeletedAccount>(
        .post, "/auth/delete", surface: .capsules, body: .json(maxByteCount: 16_384))
    /// Like `delete`, but with the input and output of surface 1.
    public static let deleteUser = Endpoint<DeleteUserInput, DeletedUser>(
        .post, "/delete-user", surface: .coves, body: .json(maxByteCount: 16_384))
    /// All of the account's data as a ZIP archive. When the archive begins, the request counts toward `RateClass.export`.
    public static let export = Endpoint<Empty, FileContent>(.get, "/auth/export", surface: .capsules)
}

public struct DeleteAccountInput: Codable, Sendable {
    /// Whether each cove that the account created gets another member as its creator. Default: `false`; the coves then end.
    public var keepCoves: Bool?

    public init(keepCoves: Bool? = nil) { self.keepCoves = keepCoves }

    enum CodingKeys: String, CodingKey {
        case keepCoves = "keep_coves"
    }

    private enum OtherKeys: String, CodingKey {
        case keepCoves
    }

    /// Also accepts the name that `/delete-user` uses. If the server ignored that name, the coves would end for all their members.
    public init(from decoder: any Decoder) throws {
        keepCoves =
            try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(Bool.self, forKey: .keepCoves)
            ?? decoder.container(keyedBy: OtherKeys.self).decodeIfPresent(Bool.self, forKey: .keepCoves)
    }
}

public struct DeletedAccount: Codable, Sendable, Equatable {
    public var accountID: String
    public var deletedAt: Date
    /// A compact JWS (RFC 7515) with the same content, signed with a key of `/.well-known/jwks.json`.
    public var receipt: String

    public init(accountID: String, deletedAt: Date, receipt: String) {
        self.accountID = accountID
        self.deletedAt = deletedAt
        self.receipt = receipt
    }

    enum CodingKeys: String, CodingKey {
        case accountID = "account_id"
        case deletedAt = "deleted_at"
        case receipt
    }
}

public struct DeleteUserInput: Codable, Sendable {
    /// Whether each cove that the account created gets another member as its creator. Default: `false`; the coves then end.
    public var keepCoves: Bool?

    public init(keepCoves: Bool? = nil) { self.keepCoves = keepCoves }
}

public struct DeletedUser: Codable, Sendable, Equatable {
    public var message: String

    public init(message: String) { self.message = message }
}
