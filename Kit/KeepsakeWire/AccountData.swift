public import Foundation
import HTTPTypes

/// `/auth/delete` and `/auth/export`: surface 4, snake_case.
public enum AccountDataEndpoints {
    /// Ends the account at once; what it had is erased right after.
    public static let delete = Endpoint<Empty, DeletedAccount>(.post, "/auth/delete", surface: .capsules)
    /// All that the account has, as a ZIP archive. The handler counts it as `RateClass.export` once it begins.
    public static let export = Endpoint<Empty, FileContent>(.get, "/auth/export", surface: .capsules)
}

public struct DeletedAccount: Codable, Sendable, Equatable {
    public var accountID: String
    public var deletedAt: Date
    /// A compact JWS (RFC 7515) by a key of `/.well-known/jwks.json`, which says the same.
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
