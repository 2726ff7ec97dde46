package import Core

/// The quota of accounts, shared by all nodes. The feature that stores each account's usage implements it.
package protocol UploadQuota: Sendable {
    /// - Throws: `QuotaExceeded` when fewer than `byteCount` bytes of the account's quota are neither used nor reserved.
    func check(_ byteCount: Int64, of owner: String) async throws

    /// Adds to a reservation, or creates it, such that used and reserved bytes together never exceed the quota.
    /// - Returns: the total bytes of the reservation.
    /// - Throws: `QuotaExceeded` when not even `request.least` more bytes fit; the reservation is then unchanged.
    func reserve(_ request: ReservationRequest) async throws -> Int64

    /// Extends a reservation until `lease` from now.
    /// - Returns: `false` when no reservation has that id: it expired and was removed.
    func renew(_ id: String, owner: String, lease: Duration) async throws -> Bool

    /// Removes a reservation. Does nothing when none has that id.
    func release(_ id: String, owner: String) async throws
}

/// A request to reserve more bytes for an upload.
package struct ReservationRequest: Sendable {
    package let id: String
    package let owner: String
    /// Bytes.
    package let wanted: Int64
    /// Bytes, at most `wanted`: the smallest acceptable amount when `wanted` does not fit.
    package let least: Int64
    /// Bytes that the upload's own write frees before it adds its files, for example of the picture that it replaces.
    package let replacing: Int64
    /// The reservation expires this long from now unless it is renewed.
    package let lease: Duration
}

/// The upload exceeds the account's quota. This error ends the request, even where a refused file is dropped and the others are kept.
package struct QuotaExceeded: Error {
    /// The response to the client.
    package let problem: Problem

    package init(_ problem: Problem) { self.problem = problem }
}

/// Keeps uploads within their account's quota while they arrive. One value serves all uploads of a node.
///
/// Staged bytes count against the quota in one of two ways. A small upload is counted in memory only, so that it costs no write before its
/// rows; one account may stage at most `Limits.unreservedPerAccount` bytes like that on one node. All other bytes are reserved in the
/// database before they are staged. So an account never has more on disk than its quota plus that amount for each node.
package struct UploadBudget: Sendable {
    package struct Limits: Sendable {
        /// An upload of at most this many bytes needs no reservation. A larger one reserves all its bytes.
        package var unreservedPerUpload = 1_048_576
        /// Bytes of all uploads of one account, on one node, that need no reservation. Staged bytes can exceed the quota by this amount
        /// until the rows are made; the rows never exceed the quota.
        package var unreservedPerAccount = 8_388_608
        /// Bytes that an upload of unknown length reserves first. It then doubles its reservation each time, so that long uploads cause few
        /// writes.
        package var firstStep: Int64 = 4_194_304
        /// The most bytes of one reservation step.
        package var largestStep: Int64 = 67_108_864
        /// The fewest bytes that a write reserves near the end of the quota, so that a slow body does not cause a write for every few
        /// bytes.
        package var smallestStep: Int64 = 262_144
        /// Bytes by which an announced length may exceed the remaining quota. The announced length includes part headers and texts, which
        /// do not count.
        package var framing: Int64 = 131_072
        /// How long the reservation of a crashed node lasts. It must be longer than any scan and examination of a file, during which
        /// nothing renews it.
        package var lease = Duration.minutes(15)
        /// The minimum time between two renewals of a reservation: after it, the next bytes that arrive renew the reservation. A client that
        /// sends nothing renews nothing, but it is disconnected before the lease ends.
        package var renewal = Duration.minutes(5)

        package init() {}
    }

    let quota: any UploadQuota
    let identifiers: Identifiers
    let limits: Limits
    let unreserved: SharedBudget

    package init(quota: any UploadQuota, identifiers: Identifiers, limits: Limits = Limits()) {
        self.quota = quota
        self.identifiers = identifiers
        self.limits = limits
        // The budget has a limit for each account only: separate budgets bound the memory and the open bodies of all accounts together.
        unreserved = SharedBudget(.init(total: .max, perAccount: limits.unreservedPerAccount, perNetwork: .max))
    }
}
