/// What is kept of a job, at most.
package enum JobLimits {
    /// A payload as JSON, in bytes: 64 KB. More belongs into rows or blobs that the payload names.
    package static let payloadByteCount = 65_536
    /// A kind, in bytes.
    package static let kindByteCount = 100
    /// A key, in bytes.
    package static let keyByteCount = 200
    /// The text of an error, in characters (Unicode scalars).
    package static let errorLength = 2_000
    /// Rows in one page of a list.
    package static let listCount = 1...100
    /// Jobs claimed in one transaction.
    static let batchCount = 16
    /// Expired leases looked at in one transaction.
    static let expiredCount = 64
    /// Lost that many workers and more, a job is taken for one that may kill them: a runner runs one such at a time, so that those
    /// it takes down with it are not parked in its place.
    package static let suspectLosses = 2
}
