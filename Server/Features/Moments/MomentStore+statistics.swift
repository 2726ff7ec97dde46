import Core
import Database

extension MomentStore {
    /// The number of entries of one mood in one quarter of an hour.
    struct Tally: Sendable, Equatable {
        /// The quarter's start. Days begin at a quarter's start in every time zone.
        let quarter: Timestamp
        let mood: String
        let count: Int
        /// The sum over the entries that have an intensity.
        let intensitySum: Int
        let intensityCount: Int
    }

    /// The most tallies that one request may read: 16 for each day of ten years. For long mood names they take about 25 MB, and on
    /// PostgreSQL the rows take as much again.
    static let tallyLimit = 60_000

    /// - Parameters:
    ///   - from: the earliest time, inclusive.
    ///   - to: the end of the time range, exclusive.
    /// - Returns: `nil` when there are more than `limit`.
    func tallies(owner: String, from: Timestamp, to: Timestamp, limit: Int = Self.tallyLimit) async throws -> [Tally]? {
        let statement = Self.tallyStatement(owner: owner, from: from, to: to, limit: limit + 1)
        let tallies = try await database.read { tx in try tx.list(statement, Self.readTally) }
        return tallies.count > limit ? nil : tallies
    }

    private static func readTally(_ row: inout RowReader) throws -> Tally {
        let quarter: Int64 = try row.next("quarter")
        return Tally(
            quarter: Timestamp(microseconds: quarter * Self.quarter - beforeAll), mood: try row.next("mood"),
            count: try row.next("moods"), intensitySum: try row.next("intensity_sum"), intensityCount: try row.next("intensities"))
    }

    static func tallyStatement(owner: String, from: Timestamp, to: Timestamp, limit: Int) -> SQL {
        """
        SELECT (moment.created_at + \(beforeAll)) / \(quarter) AS quarter, mood, COUNT(*) AS moods,
            CAST(COALESCE(SUM(intensity), 0) AS BIGINT) AS intensity_sum, COUNT(intensity) AS intensities
        FROM moment WHERE owner = \(owner) AND kind = 'mood' AND created_at >= \(from) AND created_at < \(to)
        GROUP BY 1, 2 LIMIT \(limit)
        """
    }

    /// The length of a quarter of an hour, in microseconds.
    private static let quarter: Int64 = 900_000_000
    /// An offset that makes every time nonnegative, because SQL's integer division rounds toward zero. It is a whole number of quarters.
    private static let beforeAll: Int64 = 62_135_596_800_000_000
}
