import Core
import Database

extension MomentStore {
    /// The number of entries of one mood in one quarter of an hour.
    struct Tally: Sendable, Equatable {
        /// The quarter's start. Days begin at a quarter's start in every time zone.
        let quarter: Timestamp
        let mood: String
        let count: Int
        /// Over the entries that have an intensity.
        let intensitySum: Int
        let intensityCount: Int
    }

    /// - Parameters:
    ///   - from: inclusive.
    ///   - to: exclusive.
    func tallies(owner: String, from: Timestamp, to: Timestamp) async throws -> [Tally] {
        let statement = Self.tallyStatement(owner: owner, from: from, to: to)
        return try await database.read { tx in
            try tx.rows(statement).map { row in
                Tally(
                    quarter: Timestamp(microseconds: try row.get("quarter", as: Int64.self) * Self.quarter - Self.beforeAll),
                    mood: try row.get("mood"), count: try row.get("moods"), intensitySum: try row.get("intensity_sum"),
                    intensityCount: try row.get("intensities"))
            }
        }
    }

    static func tallyStatement(owner: String, from: Timestamp, to: Timestamp) -> SQL {
        """
        SELECT (moment.created_at + \(beforeAll)) / \(quarter) AS quarter, mood, COUNT(*) AS moods,
            CAST(COALESCE(SUM(intensity), 0) AS BIGINT) AS intensity_sum, COUNT(intensity) AS intensities
        FROM moment WHERE owner = \(owner) AND kind = 'mood' AND created_at >= \(from) AND created_at < \(to)
        GROUP BY 1, 2
        """
    }

    /// Microseconds.
    private static let quarter: Int64 = 900_000_000
    /// A whole number of quarters that makes every time nonnegative, since SQL's integer division rounds toward zero.
    private static let beforeAll: Int64 = 62_135_596_800_000_000
}
