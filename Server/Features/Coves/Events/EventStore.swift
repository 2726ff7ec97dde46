import Accounts
import Blobs
import Core
import Database
import KeepsakeWire
import Live
import Media
import Web

/// All SQL of the tables `cove_event`, `cove_rsvp` and `cove_calendar`.
///
/// Order of locks: the account's standing (`AccountsFeature.requireActive`), the cove (`Membership.lock`), the account's RSVPs (`rsvpLock`),
/// then rows: events, the cove, announcements, quotas. Every write that adds, changes or ends an event holds the cove's lock, so
/// `cove.event_count` is exact. A write that changes an RSVP holds its account's lock, so an RSVP cannot outlive its membership.
struct EventStore: Sendable {
    let database: any Database
    let accounts: AccountsFeature
    let library: MediaLibrary
    let events: EventLog
    let announcer: CoveAnnouncer
    let identifiers: Identifiers

    /// - Parameter answering: makes the response inside the transaction, so that the response is stored together with the row.
    /// - Returns: the response, and the staged blobs that duplicate stored bytes.
    /// - Throws: as `Membership.require`; `.forbidden` unless the host is the cove's creator or an ADMIN; `.conflict` beyond the bounds of
    ///   `EventRules`; `.tooLarge`.
    func create<Answer: Sendable>(
        _ event: CoveEvent, cover: MediaLibrary.File?, answering: @escaping @Sendable (WriteTransaction) throws -> Answer
    ) async throws -> (Answer, surplus: [BlobKey]) {
        try await database.write { tx in
            try accounts.requireActive(event.host, tx)
            let membership = try Membership.requireLocked(of: event.host, in: event.cove, tx)
            if !membership.member.isCreator { try membership.requireAdmin(refusing: EventRules.onlyCreators) }
            guard membership.cove.eventCount < EventRules.maxInCove else { throw EventRules.tooManyInCove }
            let hosted: Int = try tx.row(Self.hostedCount(of: event.host))?.get("count") ?? 0
            guard hosted < EventRules.maxHosted else { throw EventRules.tooManyHosted }
            var event = event
            (event.cover, event.coverOwner) = (cover?.id, cover.map { _ in event.host })
            try tx.run(CoveEvent.table.insert(event, with: ["row_bytes": event.rowBytes]))
            try tx.run(Self.changeEventCount(of: event.cove, by: 1))
            try tx.run(Self.bumpCalendar(of: event.cove))
            let surplus = try library.add([cover].compactMap { $0 }, rowBytes: event.rowBytes, owner: event.host, tx)
            try notify(.coveEventAdded, event, by: event.host, tx)
            return (try answering(tx), surplus)
        }
    }

    /// Changes an event, and notifies the cove's members. If the new values equal the stored ones, it stores nothing and notifies nobody.
    /// - Returns: the changed event, and the staged blobs that duplicate stored bytes.
    /// - Throws: `.notFound`; `.forbidden` unless the account is a member and either the host or an ADMIN; `.tooLarge` when the cover
    ///   exceeds the account's quota.
    func edit(
        _ id: String, by account: String, _ change: EventChange, cover: MediaLibrary.File?
    ) async throws -> (CoveEvent, surplus: [BlobKey]) {
        if cover != nil || change.changesCover { try await prepareErasingCover(of: id, by: account) }
        return try await database.write { tx in
            try accounts.requireActive(account, tx)
            let (membership, old) = try requireLocked(id, account, tx)
            if old.host != account { try membership.requireAdmin(refusing: EventRules.onlyEditors) }
            var event = old
            change.apply(to: &event)
            let changesCover = cover != nil || change.changesCover
            if changesCover { (event.cover, event.coverOwner) = (cover?.id, cover.map { _ in account }) }
            // Without a change nothing is announced, because calendars and the members' devices would fetch an event that is the same.
            if event == old { return (event, surplus: []) }
            event.revision += 1
            event.changedAt = identifiers.clock.now
            // The row is updated before the old file is erased, so that the file's deletion finds no reference to drop.
            guard try tx.run(Self.update(event)) == 1 else { throw Problem.noSuchEvent }
            try tx.run(Self.bumpCalendar(of: event.cove))
            let surplus = changesCover ? try replaceCover(of: old, with: cover, by: account, tx) : []
            // The row counts against the host's quota, whoever edits it, so it is counted even beyond the quota. Its texts are short.
            try library.note(rowBytes: event.rowBytes - old.rowBytes, owner: event.host, tx)
            try notify(.coveEventChanged, event, by: account, merging: true, tx)
            return (event, surplus)
        }
    }

    /// Ends the event: lists no longer show it, and calendars show it as cancelled for a while.
    /// - Throws: `.notFound`; `.forbidden` unless the account is a member and either the host or, while the host is not a member, an ADMIN.
    func end(_ id: String, by account: String) async throws {
        try await prepareErasingCover(of: id, by: account)
        try await database.write { tx in
            let (membership, event) = try requireLocked(id, account, tx)
            if event.host != account {
                let hostIsMember = try tx.row(Self.membership(of: event.host, in: event.cove)) != nil
                guard !hostIsMember else { throw Problem(.forbidden, "Only the host may delete this event.") }
                try membership.requireAdmin(refusing: EventRules.onlyRemovers)
            }
            let counted: Int64 = try tx.row(Self.rowBytes(of: id))?.get("row_bytes") ?? 0
            guard try tx.run(Self.end(id, at: identifiers.clock.now)) == 1 else { throw Problem.noSuchEvent }
            try tx.run(Self.changeEventCount(of: event.cove, by: -1))
            try tx.run(Self.bumpCalendar(of: event.cove))
            try notify(.coveEventEnded, event, by: account, always: true, tx)
            let answerBytes = try IdempotencyStore.forget(event.resource, of: event.host, tx)
            if let cover = event.cover, let owner = event.coverOwner { try library.erase([cover], owner: owner, tx) }
            try library.note(rowBytes: -counted - answerBytes, owner: event.host, tx)
        }
    }

    /// Call it before a write that erases the event's cover. Does nothing unless the account may change the event; the write refuses it.
    private func prepareErasingCover(of id: String, by account: String) async throws {
        let found = try await database.read { tx -> CoveEvent? in
            do {
                let membership = try requireMember(account, of: id, tx)
                guard let event = try tx.first(Self.event(id), CoveEvent.init) else { return nil }
                return event.host == account || membership.member.role == .admin ? event : nil
            } catch is Problem {
                return nil
            }
        }
        guard let cover = found?.cover, let owner = found?.coverOwner else { return }
        try await library.prepareErasing([cover], owner: owner)
    }

    // MARK: Inside a transaction

    /// - Throws: `.notFound` when there is no such event, or it or its cove has ended; `.forbidden` unless the account is a member.
    @discardableResult func requireMember(_ account: String, of id: String, _ tx: ReadTransaction) throws -> Membership {
        guard let found = try tx.row(Self.cove(of: id)) else { throw Problem.noSuchEvent }
        return try Membership.require(of: account, in: try found.get("cove"), missing: .noSuchEvent, tx)
    }

    /// Like `requireMember`, under the lock of the event's cove.
    private func requireLocked(_ id: String, _ account: String, _ tx: WriteTransaction) throws -> (Membership, CoveEvent) {
        guard let found = try tx.row(Self.cove(of: id)) else { throw Problem.noSuchEvent }
        let membership = try Membership.requireLocked(of: account, in: try found.get("cove"), missing: .noSuchEvent, tx)
        // The event may have ended before the lock was free.
        guard let event = try tx.first(Self.event(id), CoveEvent.init) else { throw Problem.noSuchEvent }
        return (membership, event)
    }

    /// Notifies the cove's members and the account's own devices.
    /// - Parameters:
    ///   - isMerged: whether a later notice of this kind about the event replaces one that a job has not finished sending.
    ///   - always: as for `CoveAnnouncer.notify`.
    func notify(
        _ kind: Event.Kind, _ event: CoveEvent, by account: String, merging isMerged: Bool = false, always: Bool = false,
        _ tx: WriteTransaction
    ) throws {
        try notify(kind, EventNotice(coveId: event.cove, eventId: event.id), by: account, merging: isMerged, always: always, tx)
    }

    func notify(
        _ kind: Event.Kind, _ notice: EventNotice, by account: String, merging isMerged: Bool, always: Bool = false,
        _ tx: WriteTransaction
    ) throws {
        try announcer.notify(
            cove: notice.coveId, kind: kind, payload: notice, except: account, merging: isMerged ? notice.eventId : nil,
            always: always, tx)
        try events.emit(kind, notice, to: account, tx)
    }

    /// Adds the account's new cover to its library, and erases the old one from its owner's library.
    private func replaceCover(
        of old: CoveEvent, with cover: MediaLibrary.File?, by account: String, _ tx: WriteTransaction
    ) throws -> [BlobKey] {
        // The quota check of the new file must not include the old one's bytes. The old file may be missing, if its owner has just deleted
        // it.
        if let cover, let gone = old.cover, old.coverOwner == account, try library.byteCount(of: gone, owner: account, tx) != nil,
            let replaced = try library.replace(gone, with: cover, owner: account, tx)
        {
            return replaced.surplus
        }
        let surplus = try cover.map { try library.add([$0], rowBytes: 0, owner: account, tx) } ?? []
        if let gone = old.cover, let owner = old.coverOwner { try library.erase([gone], owner: owner, tx) }
        return surplus
    }

    // MARK: Statements

    static func event(_ id: String) -> SQL { "\(sql: CoveEvent.table.select) WHERE id = \(id) AND ended_at IS NULL" }

    /// The cove of an event, unless one of the two has ended.
    static func cove(of id: String) -> SQL {
        """
        SELECT cove_event.cove FROM cove_event JOIN cove ON cove.id = cove_event.cove
        WHERE cove_event.id = \(id) AND cove_event.ended_at IS NULL AND cove.ended_at IS NULL
        """
    }

    static func membership(of account: String, in cove: String) -> SQL {
        "SELECT id FROM cove_member WHERE cove = \(cove) AND account = \(account)"
    }

    /// Reads at most `EventRules.maxHosted` rows.
    static func hostedCount(of account: String) -> SQL {
        """
        SELECT COUNT(*) AS count FROM (SELECT id FROM cove_event WHERE host = \(account) LIMIT \(EventRules.maxHosted)) AS hosted
        """
    }

    static func update(_ event: CoveEvent) -> SQL {
        """
        UPDATE cove_event SET name = \(event.name), description = \(event.description), date = \(event.date),
            location = \(event.location), cover = \(event.cover), cover_owner = \(event.coverOwner), revision = \(event.revision),
            changed_at = \(event.changedAt), row_bytes = \(event.rowBytes)
        WHERE id = \(event.id) AND ended_at IS NULL
        """
    }

    /// What the row counts against the host's quota.
    static func rowBytes(of id: String) -> SQL { "SELECT row_bytes FROM cove_event WHERE id = \(id)" }

    static func end(_ id: String, at now: Timestamp) -> SQL {
        """
        UPDATE cove_event SET ended_at = \(now), changed_at = \(now), revision = revision + 1, cover = NULL, cover_owner = NULL,
            row_bytes = 0
        WHERE id = \(id) AND ended_at IS NULL
        """
    }

    static func changeEventCount(of cove: String, by change: Int) -> SQL {
        "UPDATE cove SET event_count = event_count + \(change) WHERE id = \(cove)"
    }

    static func bumpCalendar(of cove: String) -> SQL {
        """
        INSERT INTO cove_calendar (cove, version) VALUES (\(cove), 1)
        ON CONFLICT (cove) DO UPDATE SET version = cove_calendar.version + 1
        """
    }

    /// When a file is deleted from the library, an event drops its reference to it.
    static func dropCover(_ file: String, of owner: String) -> SQL {
        "UPDATE cove_event SET cover = NULL, cover_owner = NULL WHERE cover = \(file) AND cover_owner = \(owner)"
    }
}
