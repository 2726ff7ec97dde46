package import Database

/// What features about people ask of accounts.
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
}

extension AccountStore {
    static func phone(of account: String) -> SQL { "SELECT phone FROM account WHERE id = \(account) AND phone IS NOT NULL" }

    static func accounts(withPhones phones: [String]) -> SQL {
        """
        SELECT phone, id FROM account
        WHERE phone IN (\(sql: .list(phones))) AND closed_at IS NULL AND suspended_at IS NULL
        """
    }
}
