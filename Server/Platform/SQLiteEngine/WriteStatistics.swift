/// How the writes of a `SQLiteDatabase` were committed since it was opened.
package struct WriteStatistics: Sendable, Equatable {
    /// Number of committed batches, each with one durable COMMIT for all its closures.
    package private(set) var batches = 0
    /// Number of closures in those batches, including those that threw.
    package private(set) var closures = 0
    /// The largest number of closures in one batch.
    package private(set) var largestBatch = 0
    /// Number of closures that ran again in their own transaction because their batch failed, and how many of those were committed.
    package private(set) var alone = 0
    package private(set) var committedAlone = 0

    mutating func count(batch: Int) {
        batches += 1
        closures += batch
        largestBatch = max(largestBatch, batch)
    }

    mutating func count(alone committed: Bool) {
        alone += 1
        committedAlone += committed ? 1 : 0
    }
}
