package import Core

extension Database {
    /// Whether the database's clock is less than `difference` before or after this server's. SQLite has no clock of its own: then `true`.
    package func agrees(with now: Timestamp, within difference: Duration) async throws -> Bool {
        let time = try await write { tx -> Timestamp? in
            guard tx.locksRows else { return nil }
            return try tx.row("SELECT CAST(EXTRACT(EPOCH FROM now()) * 1000000 AS BIGINT) AS time")?.get("time", as: Timestamp.self)
        }
        guard let time else { return true }
        return max(time - now, now - time) < difference
    }
}
