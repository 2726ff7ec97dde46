import Accounts
import Core
import Database
import Media

/// Finds people by their phone numbers, and limits how many different numbers an account can try.
struct ContactStore: Sendable {
    let database: any Database
    let accounts: AccountsFeature
    let clock: WallClock
    /// The most different numbers that an account can look up in a UTC day.
    let limit: Int

    /// The numbers that each account looked up.
    static let lookups = DailyHashes(table: "contact_lookup", column: "numbers")

    /// The account's verified phone number in E.164; `nil` when it has none.
    func phone(of account: String) async throws -> String? {
        try await database.read { tx in try accounts.phone(of: account, tx) }
    }

    /// Counts the numbers against the account's daily limit. Numbers that the account has looked up today already do not count.
    /// - Parameter numbers: phone numbers in E.164, and texts that are not phone numbers. Such a text never equals a number in E.164.
    /// - Throws: `.tooManyRequests` when the limit would be exceeded; then none of the numbers counts.
    func count(_ numbers: [String], of account: String) async throws {
        guard !numbers.isEmpty else { return }
        let now = clock.now
        let day = now.daysSince1970
        let new = NumberHashes(numbers, of: account, day: day, Signer(key: try await accounts.secret(named: "contacts").exposed))
        // Clients send the same address book again and again. That needs no write.
        if try await database.read({ tx in try known(account, day: day, tx) })?.contains(new) == true { return }
        try await database.write { [limit] tx in
            try tx.lock("contacts of " + account)
            var all = try known(account, day: day, tx) ?? NumberHashes(bytes: [])
            all.add(new)
            guard all.count <= limit else { throw ContactRules.exhausted(limit: limit, at: now) }
            try tx.run(Self.lookups.keep(all.bytes, of: account, day: day))
        }
    }

    /// The people whose verified number is one of `phones`, without people whom `viewer` may not see, and without the viewer.
    /// - Parameter phones: numbers in E.164.
    /// - Returns: the people by their number.
    func people(withPhones phones: [String], visibleTo viewer: String) async throws -> [String: PersonCard] {
        try await database.read { tx in
            var people: [String: PersonCard] = [:]
            // Read 500 numbers at a time, because `SQL.list` offers no cached statements for longer lists.
            for start in stride(from: 0, to: phones.count, by: 500) {
                var owners = try accounts.accounts(withPhones: Array(phones[start..<min(start + 500, phones.count)]), tx)
                owners = owners.filter { $0.value != viewer }
                guard !owners.isEmpty else { continue }
                let cards = try tx.list(Self.cards(Array(owners.values), visibleTo: viewer)) { row in
                    let id: String = try row.next("id")
                    return try PersonCard(&row, id: id)
                }
                // Ids are compared by their bytes: ids from earlier releases may differ in bytes and still be equal as strings.
                let byID = Dictionary(cards.map { (Array($0.id.utf8), $0) }) { first, _ in first }
                for (phone, id) in owners {
                    if let card = byID[Array(id.utf8)] { people[phone] = card }
                }
            }
            return people
        }
    }

    /// Deletes the numbers of earlier days.
    func sweep() async throws { try await Self.lookups.sweep(database, before: clock.now.daysSince1970) }

    private func known(_ account: String, day: Int64, _ tx: ReadTransaction) throws -> NumberHashes? {
        try tx.row(Self.lookups.known(account, day: day)).map { NumberHashes(bytes: try $0.get("numbers")) }
    }

    // MARK: Statements

    /// - Parameter ids: at least one.
    static func cards(_ ids: [String], visibleTo viewer: String) -> SQL {
        """
        SELECT account.id, \(sql: PersonSQL.columns) FROM account\(sql: PersonSQL.join("account.id"))
        WHERE account.id IN (\(sql: .list(ids)))\(sql: PersonSQL.isVisible("account.id", to: viewer))
        """
    }
}
