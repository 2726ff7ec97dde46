import Core
import Database
import KeepsakeWire
import Live
import Media
import People
import Web

/// Members: the list, leaving, removing and roles. Joining is in the folder Invitations, which calls `add`.
extension CoveStore {
    /// The members, newest first, without people whom `viewer` may not see.
    /// - Throws: as `Membership.require`.
    func members(
        of cove: String, seenBy viewer: String, _ request: PageRequest<TimeKey>
    ) async throws -> Page<CoveMemberCard, TimeKey> {
        let statement = Self.members(of: cove, seenBy: viewer, after: request.after, limit: request.rowLimit)
        let rows = try await database.read { tx in
            _ = try Membership.require(of: viewer, in: cove, tx)
            return try tx.list(statement, CoveMemberCard.init)
        }
        return Page(rows, limit: request.limit) { TimeKey(at: $0.joinedAt, id: $0.card.id) }
    }

    /// The position of a member in the list; `nil` when `viewer` sees no such member.
    func position(of account: String, in cove: String, seenBy viewer: String) async throws -> TimeKey? {
        try await database.read { tx in
            _ = try Membership.require(of: viewer, in: cove, tx)
            return try tx.first(Self.member(account, of: cove, seenBy: viewer)) { row in
                TimeKey(at: try row.next("joined_at"), id: account)
            }
        }
    }

    /// A member who acts as ADMIN for a suspended one can always leave. Then the next longest-standing member acts as ADMIN.
    /// - Throws: as `Membership.require`; `.conflict` for the last ADMIN while there are other members.
    func leave(_ id: String, _ account: String) async throws {
        // The cove ends with its last member.
        try await prepareErasingCover(of: id, by: account) { membership, tx in
            try membership.cove.cover != nil && tx.rows(Self.someMembers(of: id)).count == 1
        }
        try await database.write { tx in
            let membership = try Membership.requireLocked(of: account, in: id, tx)
            let isAdmin = membership.member.role == .admin
            let isActing = try isAdmin && tx.row(Self.acting(membership.member.id)) != nil
            if isAdmin, !isActing, try !hasAnotherAdmin(id, than: account, tx),
                try hasAnotherMember(id, than: account, tx)
            {
                throw CoveRules.lastAdmin(isCreator: membership.member.isCreator)
            }
            try end(membership.member, of: membership.cove, tx)
            if isActing { try tx.run(Self.promote(in: [id])) }
        }
    }

    /// Removes another member, who can join again only by invitation.
    /// - Throws: as `Membership.require`; `.forbidden` unless `admin` is an ADMIN, or when `account` is the creator's; `.notFound` when
    ///   there is no such member.
    func remove(_ account: String, from id: String, by admin: String) async throws {
        try await database.write { tx in
            let membership = try Membership.requireLocked(of: admin, in: id, tx)
            try membership.requireAdmin()
            guard let member = try visibleMember(account, of: id, tx) else { throw Problem.noSuchMember }
            if member.isCreator { throw Problem(.forbidden, "The creator of a cove cannot be removed.", field: "userId") }
            try tx.run(Self.keepRemoval(of: account, from: id, at: identifiers.clock.now))
            try end(member, of: membership.cove, tx)
        }
    }

    /// - Throws: as `Membership.require`; `.forbidden` unless `creator` has the creator's rights; `.notFound` when there is no such member;
    ///   `.conflict` when the cove would have no ADMIN.
    func setRole(_ role: CoveRole, of account: String, in id: String, by creator: String) async throws -> CoveMember {
        try await database.write { tx in
            try Membership.requireLocked(of: creator, in: id, tx).requireCreator()
            guard var member = try visibleMember(account, of: id, tx) else { throw Problem.noSuchMember }
            if member.role == .admin, role == .member, try !hasAnotherAdmin(id, than: account, tx) {
                throw Problem(.conflict, "A cove must have an ADMIN. Make another member ADMIN first.", field: "role")
            }
            member.role = role
            try tx.run(Self.setRole(role, of: member.id))
            return member
        }
    }

    // MARK: Inside a transaction, under the cove's lock

    /// Adds a member and notifies the others.
    func add(_ account: String, to cove: Cove, _ tx: WriteTransaction) throws -> CoveMember {
        let member = CoveMember(
            id: identifiers.next(), cove: cove.id, account: account, role: .member, isCreator: false, joinedAt: identifiers.clock.now)
        try tx.run(CoveMember.table.insert(member))
        try tx.run(Self.changeCount(of: cove.id, by: 1))
        try tx.run(Self.forgetRemoval(of: account, from: cove.id))
        let notice = CoveMemberNotice(coveId: cove.id, userId: account)
        // The notices are merged, so that an account that joins and leaves again and again does not notify a large cove each time.
        try announcer.notify(cove: cove.id, kind: .coveJoined, payload: notice, except: account, merging: account, tx)
        try events.emit(.coveJoined, notice, to: account, tx)
        return member
    }

    /// Whether the account was removed and has not returned since.
    func isRemoved(_ account: String, from cove: String, _ tx: ReadTransaction) throws -> Bool {
        try tx.row(Self.removal(of: account, from: cove)) != nil
    }

    /// Ends a membership. If it was the last one, ends the cove. Notifies the other members and the account's own devices.
    private func end(_ member: CoveMember, of cove: Cove, _ tx: WriteTransaction) throws {
        try tx.run(Self.deleteMember(member.id))
        try tx.run(Self.changeCount(of: cove.id, by: -1))
        for use in uses { try use.memberLeft(member.account, [cove.id], tx) }
        let notice = CoveMemberNotice(coveId: cove.id, userId: member.account)
        try events.emit(.coveLeft, notice, to: member.account, tx)
        let answerBytes = try IdempotencyStore.forget(member.resource, of: member.account, tx)
        if try tx.row(Self.anyMember(of: cove.id)) == nil {
            try end(cove, tx)
        } else {
            try announcer.notify(cove: cove.id, kind: .coveLeft, payload: notice, except: member.account, merging: member.account, tx)
        }
        try library.note(rowBytes: -answerBytes, owner: member.account, tx)
    }

    private func visibleMember(_ account: String, of cove: String, _ tx: ReadTransaction) throws -> CoveMember? {
        try tx.first(Self.visibleMember(account, of: cove), CoveMember.init)
    }

    private func hasAnotherAdmin(_ cove: String, than account: String, _ tx: ReadTransaction) throws -> Bool {
        try tx.row(Self.otherAdmin(of: cove, than: account)) != nil
    }

    private func hasAnotherMember(_ cove: String, than account: String, _ tx: ReadTransaction) throws -> Bool {
        try tx.row(Self.otherMember(of: cove, than: account)) != nil
    }

    // MARK: Statements

    private static let newest = Keyset(.descending, "cove_member.joined_at", "cove_member.account")

    static func members(of cove: String, seenBy viewer: String, after key: TimeKey?, limit: Int) -> SQL {
        """
        SELECT cove_member.account, cove_member.role, cove_member.joined_at, \(sql: PersonSQL.columns)
        FROM cove_member\(sql: PersonSQL.join("cove_member.account"))
        WHERE cove_member.cove = \(cove) AND cove_member.hidden = 0\(sql: PersonSQL.isNotBlocked("cove_member.account", by: viewer))
        """ + newest.page(after: key?.sql, limit: limit)
    }

    static func member(_ account: String, of cove: String, seenBy viewer: String) -> SQL {
        """
        SELECT cove_member.joined_at FROM cove_member
        WHERE cove_member.cove = \(cove) AND cove_member.account = \(account) AND cove_member.hidden = 0
            \(sql: PersonSQL.isNotBlocked("cove_member.account", by: viewer))
        """
    }

    static func visibleMember(_ account: String, of cove: String) -> SQL {
        "\(sql: CoveMember.table.select) WHERE cove = \(cove) AND account = \(account) AND hidden = 0"
    }

    static func otherAdmin(of cove: String, than account: String) -> SQL {
        "SELECT id FROM cove_member WHERE cove = \(cove) AND hidden = 0 AND role = 'ADMIN' AND account <> \(account) LIMIT 1"
    }

    static func otherMember(of cove: String, than account: String) -> SQL {
        "SELECT id FROM cove_member WHERE cove = \(cove) AND hidden = 0 AND account <> \(account) LIMIT 1"
    }

    /// Finds hidden members, too: the cove stays for a suspended member who may come back.
    static func anyMember(of cove: String) -> SQL { "SELECT id FROM cove_member WHERE cove = \(cove) LIMIT 1" }

    /// Finds hidden members, too.
    static func someMembers(of cove: String) -> SQL { "SELECT id FROM cove_member WHERE cove = \(cove) LIMIT 2" }

    static func setRole(_ role: CoveRole, of member: String) -> SQL {
        "UPDATE cove_member SET role = \(role.rawValue), is_acting = 0 WHERE id = \(member)"
    }

    static func acting(_ member: String) -> SQL { "SELECT id FROM cove_member WHERE id = \(member) AND role = 'ADMIN' AND is_acting = 1" }

    static func deleteMember(_ id: String) -> SQL { "DELETE FROM cove_member WHERE id = \(id)" }

    static func changeCount(of cove: String, by change: Int) -> SQL {
        "UPDATE cove SET member_count = member_count + \(change) WHERE id = \(cove)"
    }

    static func keepRemoval(of account: String, from cove: String, at now: Timestamp) -> SQL {
        """
        INSERT INTO cove_removal (cove, account, removed_at) VALUES (\(cove), \(account), \(now))
        ON CONFLICT (cove, account) DO UPDATE SET removed_at = excluded.removed_at
        """
    }

    static func forgetRemoval(of account: String, from cove: String) -> SQL {
        "DELETE FROM cove_removal WHERE cove = \(cove) AND account = \(account)"
    }

    static func removal(of account: String, from cove: String) -> SQL {
        "SELECT removed_at FROM cove_removal WHERE cove = \(cove) AND account = \(account)"
    }
}

/// A member as lists show it.
struct CoveMemberCard: Sendable, Equatable {
    let role: CoveRole
    let joinedAt: Timestamp
    let card: PersonCard

    init(_ row: inout RowReader) throws {
        let account: String = try row.next("account")
        role = CoveRole(rawValue: try row.next("role"))
        joinedAt = try row.next("joined_at")
        card = try PersonCard(&row, id: account)
    }
}
