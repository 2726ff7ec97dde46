package import Core

/// What accounts may still stage, as all nodes know it. Implemented by the feature that keeps what each account uses.
package protocol UploadQuota: Sendable {
    /// - Throws: `QuotaExceeded` when the account has less left than so many bytes, neither used nor reserved.
    func check(_ byteCount: Int64, of owner: String) async throws

    /// Adds to a reservation, which is made if need be, so that what is used and reserved never exceeds the quota.
    /// - Returns: the bytes that the reservation now has.
    /// - Throws: `QuotaExceeded` when not even `request.least` more bytes fit. The reservation is unchanged then.
    func reserve(_ request: ReservationRequest) async throws -> Int64

    /// Keeps a reservation until `lease` from now.
    /// - Returns: `false` when there is none of that id: it expired and was removed.
    func renew(_ id: String, owner: String, lease: Duration) async throws -> Bool

    /// Removes a reservation. Does nothing when there is none of that id.
    func release(_ id: String, owner: String) async throws
}

/// How many more bytes an upload would like to stage.
package struct ReservationRequest: Sendable {
    package let id: String
    package let owner: String
    /// Bytes.
    package let wanted: Int64
    /// Bytes, at most `wanted`: what is taken where that does not fit.
    package let least: Int64
    /// Bytes that the upload's own write frees before it adds its files, for example of the picture that it replaces.
    package let replacing: Int64
    /// The reservation expires so long from now unless it is renewed.
    package let lease: Duration
}

/// The quota of an account does not hold what is sent. It ends the request, also where single files may be refused.
package struct QuotaExceeded: Error {
    /// What the client is told.
    package let problem: Problem

    package init(_ problem: Problem) { self.problem = problem }
}

/// How uploads keep within their account's quota while they arrive. One value serves all uploads of a node.
///
/// Staged bytes are covered in one of two ways. A small upload is counted in memory only, so that it costs no write before its rows;
/// of one account, `Limits.unreservedPerAccount` bytes at most are staged like that on one node. All other bytes are reserved in the
/// database before they are staged. So an account never has more on disk than its quota and, for each node, that amount.
package struct UploadBudget: Sendable {
    package struct Limits: Sendable {
        /// An upload of at most so many bytes needs no reservation. A larger one reserves all its bytes.
        package var unreservedPerUpload = 1_048_576
        /// Bytes of all uploads of one account together, on one node, that need no reservation. It is how far staged bytes can
        /// exceed the quota until the rows are made, which the quota bounds exactly.
        package var unreservedPerAccount = 8_388_608
        /// What an upload of unknown length reserves first. It then doubles what it has, so that long uploads make few writes.
        package var firstStep: Int64 = 4_194_304
        /// At most so much at a time.
        package var largestStep: Int64 = 67_108_864
        /// The least that a write reserves near the end of the quota, so that a body that trickles in does not cause a write each time.
        package var smallestStep: Int64 = 262_144
        /// How far an announced length may exceed what is left of the quota: the parts' headers and the texts are no files.
        package var framing: Int64 = 131_072
        /// A reservation that a crashed node leaves behind expires after so long. Longer than any scan and examination of a file takes,
        /// during which nothing renews it.
        package var lease = Duration.minutes(15)
        /// A reservation is renewed at the first bytes that come so long after the last renewal. A client that pauses longer than the
        /// rest of the lease is disconnected before.
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
        // Only the account's share bounds it: memory and open bodies of everybody together have budgets of their own.
        unreserved = SharedBudget(.init(total: .max, perAccount: limits.unreservedPerAccount, perNetwork: .max))
    }
}
