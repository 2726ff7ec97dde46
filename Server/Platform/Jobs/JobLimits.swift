/// Limits of a stored job.
package enum JobLimits {
    /// The largest payload as JSON, in bytes. Store more in rows or blobs and let the payload name them.
    package static let payloadByteCount = 65_536
    /// The longest kind, in bytes.
    package static let kindByteCount = 100
    /// The longest key, in bytes.
    package static let keyByteCount = 200
    /// The longest error text, in Unicode scalars.
    package static let errorLength = 2_000
    /// The allowed number of rows per page of a list: up to 100, and one that indicates whether others follow.
    package static let listCount = 1...101
    /// The most jobs that one transaction claims.
    static let batchCount = 16
    /// The fewest ready jobs of a kind that one check reads. They usually belong to several accounts, which can then take turns.
    static let headCount = 32
    /// The number of further accounts that a check reads if all jobs that it read first are due. Some of these accounts may have no due
    /// job.
    static let accountCount = 32
    /// The number of further turn keys that a check reads in the same case. It is larger, because one party may wait for many targets.
    static let turnKeyCount = 128
    /// The most expired leases that one transaction reads.
    static let expiredCount = 64
    /// A job that has lost at least this many workers may be the one that crashes them. A runner runs only one such job at a time.
    /// Otherwise jobs that ran beside the faulty one, and lost their worker too, could be parked.
    package static let suspectLosses = 2
}
