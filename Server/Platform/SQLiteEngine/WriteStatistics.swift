/// How the writes of a `SQLiteDatabase` were committed since it was opened.
package struct WriteStatistics: Sendable, Equatable {
    /// Committed batches: each one durable COMMIT, whatever the number of closures.
    package private(set) var batches = 0
    /// Closures in those batches, also those that threw.
    package private(set) var closures = 0
    /// The most closures one batch has had.
    package private(set) var largestBatch = 0
    /// Closures that ran a second time, alone, because their batch could not be committed; and how many of those were committed.
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
