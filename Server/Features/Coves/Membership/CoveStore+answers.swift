import Core
import Database
import Jobs
import Media
import Web

/// When a cove ends, the server deletes the responses that it stored for retries of its members' requests: responses about the cove, the
/// memberships, and what the other parts of the feature made in the cove. A retry then gets 410, as after any deletion.
///
/// The write that ends the cove deletes up to `answerCount` of them; a job deletes the rest. Responses about invitations are deleted
/// together with the invitations, by the same job: see `CoveUse.hasSharedRows`.
extension CoveStore {
    /// The most responses that one write deletes, even if all are about the same resource. Each takes five statements.
    static let answerCount = 200

    struct Forgotten {
        /// Bytes that each account's quota gets back.
        var freed: [String: Int64] = [:]
        /// How many responses were found.
        var count = 0

        /// Whether no response is left.
        var isComplete: Bool { count < CoveStore.answerCount }
    }

    /// - Parameter creator: the cove's creator, who may have left the cove; `nil` when the creator's account is being deleted together with
    ///   its stored responses.
    func forgetAnswers(about cove: String, creator: String?, _ tx: WriteTransaction) throws -> Forgotten {
        var forgotten = Forgotten()
        let since = identifiers.clock.now - IdempotencyStore.longestRetention
        var own = [
            (kind: CoveMember.kind, resources: Self.newMembers(of: cove, since: since)),
            (kind: Cove.kind, resources: Self.admins(of: cove)),
        ]
        if let creator { own.insert((kind: Cove.kind, resources: Self.created(cove, by: creator)), at: 0) }
        let others = uses.compactMap(\.answered).map { (kind: $0.kind, resources: $0.resources(cove)) }
        for made in own + others {
            let limit = Self.answerCount - forgotten.count
            let some = try IdempotencyStore.forget(made.kind, made: made.resources, limit: limit, tx)
            forgotten.freed.merge(some.freed, uniquingKeysWith: +)
            forgotten.count += some.count
            guard !forgotten.isComplete else { continue }
            break
        }
        return forgotten
    }

    /// Releases the freed bytes. The accounts are sorted, as in every write that changes several accounts' usage.
    func note(_ forgotten: Forgotten, _ tx: WriteTransaction) throws {
        for (account, byteCount) in forgotten.freed.sorted(by: { $0.key < $1.key }) {
            try library.note(rowBytes: -byteCount, owner: account, tx)
        }
    }

    /// Deletes the next responses about a cove that ended. When no response is left, deletes the next rows that requests about other coves
    /// read. Enqueues the job for what is left.
    func forgetMore(_ job: ForgetCove, _ tx: WriteTransaction) throws {
        let forgotten = try forgetAnswers(about: job.cove, creator: job.creator, tx)
        try note(forgotten, tx)
        // `forgetAnswers` finds the responses by these rows.
        if forgotten.count == 0 { try removeSharedRows(of: job.cove, tx) }
        if try !forgotten.isComplete || hasSharedRows(of: job.cove, tx) { try jobs.enqueue(job, owner: nil, tx) }
    }

    /// See `CoveUse.hasSharedRows`.
    func hasSharedRows(of cove: String, _ tx: ReadTransaction) throws -> Bool {
        for use in uses {
            if try use.hasSharedRows(cove, tx) { return true }
        }
        return false
    }

    /// The most invitations that one job deletes in a write. Each takes a few statements.
    private static let sharedRowCount = 100

    private func removeSharedRows(of cove: String, _ tx: WriteTransaction) throws {
        for use in uses {
            guard try use.hasSharedRows(cove, tx) else { continue }
            _ = try use.removeSome(cove, Self.sharedRowCount, tx)
            return
        }
    }

    // MARK: Statements

    /// Memberships that may have a stored response. The responses of older memberships have expired.
    static func newMembers(of cove: String, since: Timestamp) -> SQL {
        "SELECT account, id FROM cove_member WHERE cove = \(cove) AND hidden IN (0, 1) AND joined_at >= \(since)"
    }

    /// The cove that the creator made.
    static func created(_ cove: String, by creator: String) -> SQL {
        "SELECT creator AS account, id FROM cove WHERE id = \(cove) AND creator = \(creator)"
    }

    /// The cove's ADMINs. In earlier versions, each request of an ADMIN that sent no invitation stored a response about the cove itself.
    static func admins(of cove: String) -> SQL {
        "SELECT account, cove AS id FROM cove_member WHERE cove = \(cove) AND hidden IN (0, 1) AND role = 'ADMIN'"
    }
}

/// Deletes stored responses about a cove that ended, and then its rows that requests about other coves read. The payload is the same as in
/// earlier versions, which deleted only the responses.
struct ForgetCove: Job {
    static let kind = "coves/forget-answers"
    static let policy = JobPolicy(attempts: 30, longestBackoff: .minutes(10), timeout: .minutes(1))

    let cove: String
    /// See `CoveStore.forgetAnswers`. Jobs of earlier versions have none.
    var creator: String?
}

/// Deletes the cover of a cove that ended because its creator's account was closed. This is not a part of `ForgetCove`: while nodes are
/// upgraded one by one, an older node would complete such a job without deleting the cover. An older node does not claim jobs of a kind
/// that it does not know.
struct EraseCover: Job {
    static let kind = "coves/erase-cover"
    static let policy = ForgetCove.policy

    let cover: String
    let owner: String
}
