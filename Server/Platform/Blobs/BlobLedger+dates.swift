package import Core
package import Database

/// Corrects dead blobs that a node has dated far in the future, because its clock was far ahead. Otherwise the garbage collector keeps
/// their bytes until that time comes, which may be years away.
extension BlobLedger {
    /// A date that is further in the future is wrong: the clocks of nodes may differ by less than this.
    private static let mostAhead = Duration.days(1)
    private static let correctedCount = 500

    /// Makes these blobs count as dead since `now`, so their bytes are deleted ten minutes later.
    package static func correctDates(_ database: any Database, now: Timestamp) async throws {
        while try await database.run(correctDates(now: now)) == correctedCount {}
    }

    package static func correctDates(now: Timestamp) -> SQL {
        let latest = now + mostAhead
        return """
            UPDATE blob SET dead_at = \(now)
            WHERE key IN (
                SELECT key FROM blob WHERE state = 'dead' AND dead_at > \(latest) ORDER BY dead_at, key LIMIT \(correctedCount))
            AND dead_at > \(latest)
            """
    }
}
