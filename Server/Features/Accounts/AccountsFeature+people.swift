package import Database
package import FeatureKit

/// What the features about people need to know about accounts.
extension AccountsFeature {
    /// The account's verified phone number in E.164; `nil` when it has proved none.
    package func phone(of account: String, _ tx: ReadTransaction) throws -> String? {
        try tx.row(AccountStore.phone(of: account))?.get("phone")
    }

    /// The open accounts that have proved one of these numbers.
    /// - Parameter phones: in E.164, at most 1,000.
    /// - Returns: the account's id by its number.
    package func accounts(withPhones phones: [String], _ tx: ReadTransaction) throws -> [String: String] {
        guard !phones.isEmpty else { return [:] }
        let found: [(String, String)] = try tx.list(AccountStore.accounts(withPhones: phones)) { row in
            (try row.next("phone"), try row.next("id"))
        }
        return Dictionary(uniqueKeysWithValues: found)
    }

    // MARK: Verified users

    /// If it is `nil`, `AccountsSettings.verifiedByDefault` applies.
    package static let verify = FeatureSetting<VerifiedUsers?>(
        "verify", default: nil,
        help: "Who counts as a verified user and may create coves: everybody, phone (a phone number or Sign in with Apple) or allowlist.",
        mustBe: "one of \(VerifiedUsers.allCases.map(\.rawValue).joined(separator: ", "))"
    ) { text in VerifiedUsers(rawValue: text).map { Optional($0) } }

    package static var settings: [any FeatureSettingReader] { [verify] }

    /// Whether the account counts as a verified user under `KEEPSAKE_VERIFY`, or the operator has verified it.
    package func isVerified(_ account: String, _ tx: ReadTransaction) throws -> Bool {
        if verifiedUsers == .everybody { return true }
        guard let row = try tx.row(AccountStore.proofs(of: account, apple: appleIssuer)) else { return false }
        if try row.get("verified_at", as: Int64?.self) != nil { return true }
        guard verifiedUsers == .phone else { return false }
        return try row.get("phone", as: String?.self) != nil || row.get("apple_subject", as: String?.self) != nil
    }

    /// A message that tells the owner of an unverified account how to get it verified.
    package var wayToVerify: String {
        switch verifiedUsers {
        case .everybody: "Every account of this server is verified."
        case .phone: "Link a sign-in with a phone number or with Apple to your account, or ask the server's operator."
        case .allowlist: "Ask the server's operator."
        }
    }
}

extension AccountStore {
    static func phone(of account: String) -> SQL { "SELECT phone FROM account WHERE id = \(account) AND phone IS NOT NULL" }

    static func accounts(withPhones phones: [String]) -> SQL {
        """
        SELECT phone, id FROM account
        WHERE phone IN (\(sql: .list(phones))) AND closed_at IS NULL AND suspended_at IS NULL
        """
    }

    /// Selects what can make an account a verified user: its phone number, the operator's decision, and an identity of Apple.
    /// - Parameter apple: the issuer of Apple's tokens; empty when Sign in with Apple is not set up.
    static func proofs(of account: String, apple: String) -> SQL {
        """
        SELECT phone, verified_at,
            (SELECT subject FROM identity WHERE identity.account = account.id AND identity.issuer = \(apple) LIMIT 1) AS apple_subject
        FROM account WHERE id = \(account) AND closed_at IS NULL
        """
    }
}
