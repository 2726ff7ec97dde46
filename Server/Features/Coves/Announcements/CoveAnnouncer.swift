import Core
import Database
internal import Foundation
import Jobs
import KeepsakeWire
import Live

/// Sends live events to the members of a cove.
///
/// Up to 50 members receive the event in the caller's write. In larger coves the write stores an announcement, and a job sends the event to
/// `batchCount` members at a time, in the order of their account ids. It stores its progress in the transaction that stores the events, so
/// each member receives the event exactly once, also when the server is killed.
///
/// The job checks membership when it sends: former members receive nothing, and neither do members whose account is closed or suspended.
/// Someone who joins while the job runs may receive the event. Announcements of one cove may overtake each other, so a payload names what
/// changed, and clients read the current state from the API.
struct CoveAnnouncer: Sendable {
    /// The most members that the caller's write itself sends the event to.
    static let directCount = 50
    /// The most members that one run of the job considers. Their event logs are locked until its write commits.
    static let batchCount = 200

    let events: EventLog
    let jobs: JobQueue
    let identifiers: Identifiers
    /// The store keeps what an account changes beyond the limit, but the others get no event.
    var budget = CoveNoticeBudget()

    /// - Parameters:
    ///   - payload: identifies what changed; at most 32 KB as JSON.
    ///   - actor: the account that caused the event. It does not receive it, and neither do members who have blocked it or whom it has
    ///     blocked. If the account is closed or suspended before the job ends, the job sends nothing more. `nil` when the server itself
    ///     caused the event.
    ///   - subject: the id of what the event is about, if a later event of the same kind and subject may replace an earlier one; otherwise
    ///     `nil`. While a job sends an event with a subject, later events of the same kind and subject replace each other in the database.
    ///     When the job has sent the first event, it sends the latest one to all members. So one job at a time is enough, however often the
    ///     subject changes. If several accounts cause these events, members whom one of these accounts has blocked receive them too, so the
    ///     payload must name no account.
    ///   - always: whether the members receive the event even beyond the actor's limit (`budget`): they must learn that something has
    ///     ended. How often an account can cause such events is limited by what it can create.
    /// - Throws: `LiveError.payloadTooLarge`, or the encoder's error.
    func notify(
        cove: String, kind: Event.Kind, payload: some Encodable, except actor: String?, merging subject: String? = nil,
        always: Bool = false, _ tx: WriteTransaction
    ) throws {
        // The write may run twice and then counts twice, which is rare.
        if let actor, !always, !budget.spend(actor, at: identifiers.clock.now) { return }
        let members = try tx.list(Self.members(of: cove, after: "", hiding: actor, limit: Self.directCount + 1), Member.init)
        if members.count <= Self.directCount {
            try events.emit(kind, payload, to: members.lazy.filter(\.isNotified).map(\.account), tx)
            return
        }
        let encoder = JSONEncoder.withSortedKeys()
        let bytes = try encoder.encode(payload)
        guard bytes.count <= EventLog.payloadLimit / 2 else { throw LiveError.payloadTooLarge(byteCount: bytes.count) }
        let announcement = Announcement(
            id: identifiers.next(), cove: cove, kind: kind.name, subject: subject, payload: String(decoding: bytes, as: UTF8.self),
            actor: actor, told: "", createdAt: identifiers.clock.now)
        guard let stored = try tx.row(Self.store(announcement)) else { throw DatabaseError.column("id") }
        // If the ids differ, an announcement about the same subject is under way, and its job also sends this event.
        guard try stored.get("id") == announcement.id else { return }
        try jobs.enqueue(SendAnnouncement(announcement: announcement.id), owner: nil, turn: announcement.turn, tx)
    }

    /// Sends the announcement to the next members, and enqueues the job for those after them.
    func notifyNext(_ id: String, _ tx: WriteTransaction) throws {
        // If there is no announcement, the cove or the actor's account was deleted meanwhile.
        guard let announcement = try tx.first(Self.announcement(id), Announcement.init) else { return }
        if let actor = announcement.actor, try tx.row(Self.hidden(actor)) != nil {
            try tx.run(Self.remove(id))
            return
        }
        let members = try tx.list(
            Self.members(of: announcement.cove, after: announcement.told, hiding: announcement.actor, limit: Self.batchCount),
            Member.init)
        let payload = try JSONDecoder().decode(JSONValue.self, from: Data(announcement.payload.utf8))
        try events.emit(
            Event.Kind(named: announcement.kind), payload, to: members.lazy.filter(\.isNotified).map(\.account), tx)
        let last = members.map(\.account).max { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        if members.count == Self.batchCount, let last {
            try tx.run("UPDATE cove_announcement SET told = \(last) WHERE id = \(id)")
        } else {
            // One statement decides whether a later event waits, because another write may add one at any moment.
            guard try tx.run("DELETE FROM cove_announcement WHERE id = \(id) AND next_payload IS NULL") == 0 else { return }
            try tx.run(
                "UPDATE cove_announcement SET payload = next_payload, next_payload = NULL, told = '' WHERE id = \(id)")
        }
        try jobs.enqueue(SendAnnouncement(announcement: id), owner: nil, turn: announcement.turn, tx)
    }

    private struct Member {
        let account: String
        let isNotified: Bool

        init(_ row: inout RowReader) throws {
            account = try row.next("account")
            isNotified = try row.next("is_notified")
        }
    }
}

/// Sends an announcement to its next members.
struct SendAnnouncement: Job {
    static let kind = "coves/announce"
    static let policy = JobPolicy(attempts: 30, longestBackoff: .minutes(10), timeout: .minutes(1))

    let announcement: String
}

/// An event that a job is sending to the members of a cove.
struct Announcement: TableRow {
    static let table = Table<Announcement>("cove_announcement")

    let id: String
    let cove: String
    let kind: String
    let subject: String?
    /// JSON.
    let payload: String
    let actor: String?
    /// The account id of the last member that the job has considered; empty at first.
    let told: String
    let createdAt: Timestamp

    /// The job runs in the turn of the account that caused the event, or of the cove if no account or several accounts did. So an account
    /// that causes very many events does not delay the events of others.
    var turn: JobTurnKey { JobTurnKey(party: JobTurnKey.part(of: actor ?? cove)) }
}

extension Announcement {
    init(_ row: inout RowReader, writing announcement: Announcement?) throws {
        id = try row.next("id", announcement?.id)
        cove = try row.next("cove", announcement?.cove)
        kind = try row.next("kind", announcement?.kind)
        subject = try row.next("subject", announcement?.subject)
        payload = try row.next("payload", announcement?.payload)
        actor = try row.next("actor", announcement?.actor)
        told = try row.next("told", announcement?.told)
        createdAt = try row.next("created_at", announcement?.createdAt)
    }
}
