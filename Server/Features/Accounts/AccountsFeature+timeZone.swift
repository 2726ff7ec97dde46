internal import Core
package import Database
package import Foundation

/// The time zones in which the users' days and hours begin.
extension AccountsFeature {
    /// The account's time zone; the server's when the user chose none.
    package func timeZone(of account: String) async throws -> TimeZone {
        try await store.database.read { [self] tx in try timeZone(of: account, tx) }
    }

    package func timeZone(of account: String, _ tx: ReadTransaction) throws -> TimeZone {
        try timeZones(of: [account], tx)[account] ?? usualTimeZone
    }

    /// - Parameter accounts: at least one.
    /// - Returns: the time zones by account id; closed and suspended accounts are missing.
    package func timeZones(of accounts: [String], _ tx: ReadTransaction) throws -> [String: TimeZone] {
        var zones: [String: TimeZone] = [:]
        for row in try tx.rows(AccountStore.timeZones(of: accounts)) {
            let name: String? = try row.get("time_zone")
            zones[try row.get("id")] = name.flatMap(ZoneName.zone) ?? usualTimeZone
        }
        return zones
    }
}

extension AccountStore {
    static func timeZones(of accounts: [String]) -> SQL {
        "SELECT id, time_zone FROM account WHERE id IN (\(sql: .list(accounts))) AND closed_at IS NULL AND suspended_at IS NULL"
    }
}
