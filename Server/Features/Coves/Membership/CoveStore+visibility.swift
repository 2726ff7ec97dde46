import Core
import Database
import KeepsakeWire
import Media

/// Changes an account's coves when the account is closed, suspended or restored, in the same write. The size of the write is bounded: an
/// account is a member of at most `CoveRules.maxMemberships` coves and has created at most `CoveRules.maxCreated`. Memberships of coves
/// that have ended do not change: nobody sees them, and `eraseSome` deletes them in steps. Giving a cover to another account takes about
/// fifty statements, so this happens in steps before.
extension CoveStore {
    /// Ends the memberships of an account that is being closed, and the coves that it created, including those that it has left.
    /// - Parameter keepsCoves: `true` keeps the coves that have other members. The longest-standing ADMIN of such a cove becomes the
    ///   creator; without another ADMIN, the longest-standing MEMBER does.
    func close(_ account: String, keepsCoves: Bool, _ tx: WriteTransaction) throws {
        let joined = try lockCoves(of: account, and: uses.flatMap { try $0.changedCoves(account, tx) }, tx)
        if keepsCoves { try handCoves(of: account, tx) }
        for cove in try tx.list(Self.created(by: account), Cove.init) { try end(cove, closing: account, tx) }
        try inBatches(joined) { coves in
            try tx.run(Self.changeCounts(of: account, in: coves, by: -1, wasHidden: false))
            try tx.run(Self.deleteMembers(account, of: coves))
        }
        if !joined.isEmpty {
            for use in uses { try use.memberLeft(account, joined, tx) }
        }
        try inBatches(joined) { coves in
            try tx.run(Self.promote(in: coves))
            try tx.run(Self.confirmActing(in: coves))
            for cove in try tx.list(Self.empty(among: coves), Cove.init) { try end(cove, closing: account, tx) }
        }
        // Other accounts' coves keep their covers that this account uploaded until `eraseSome` drops them. There may be thousands of these
        // coves, with long descriptions. Meanwhile nobody sees the covers, because the account is hidden.
    }

    /// Hides the memberships of an account that is being suspended. Nothing is deleted. In a cove in which the account was the
    /// last visible ADMIN, the longest-standing visible member becomes ADMIN until the account is restored.
    func suspend(_ account: String, _ tx: WriteTransaction) throws {
        let joined = try lockCoves(of: account, tx)
        try inBatches(joined) { coves in
            try tx.run(Self.changeCounts(of: account, in: coves, by: -1, wasHidden: false))
            try tx.run(Self.setHidden(true, account, in: coves))
            try tx.run(Self.promote(in: coves))
        }
    }

    /// Undoes `suspend`. Members who stood in for the account lose that role.
    func restore(_ account: String, _ tx: WriteTransaction) throws {
        let joined = try lockCoves(of: account, tx)
        try inBatches(joined) { coves in
            try tx.run(Self.changeCounts(of: account, in: coves, by: 1, wasHidden: true))
            try tx.run(Self.setHidden(false, account, in: coves))
            try tx.run(Self.endActing(for: account, in: coves))
            // A cove whose other members have left meanwhile may have no ADMIN.
            try tx.run(Self.promote(in: coves))
        }
    }

    /// Locks the coves that have not ended and that the account is a member of or created.
    /// - Parameter others: further coves to lock.
    /// - Returns: the ids of the coves that the account is a member of.
    private func lockCoves(of account: String, and others: [String] = [], _ tx: WriteTransaction) throws -> [String] {
        let joined: [String] = try tx.list(Self.joined(by: account)) { try $0.next("cove") }
        let created = try tx.list(Self.created(by: account), Cove.init).map(\.id)
        // The coves are locked in a fixed order, so that two such writes cannot deadlock.
        for cove in Set(joined + created + others).sorted() { try Membership.lock(cove, tx) }
        return joined
    }

    private func inBatches(_ coves: [String], _ body: ([String]) throws -> Void) throws {
        var rest = coves[...]
        while !rest.isEmpty {
            try body(Array(rest.prefix(256)))
            rest = rest.dropFirst(256)
        }
    }

    private func handCoves(of account: String, _ tx: WriteTransaction) throws {
        var handed: [(cove: Cove, heir: CoveMember)] = []
        for cove in try tx.list(Self.created(by: account), Cove.init) {
            if let heir = try heir(of: cove.id, besides: account, tx) { handed.append((cove, heir)) }
        }
        // The heirs' usage is changed in the order of their ids, as in every write that changes several accounts' usage.
        for (cove, heir) in handed.sorted(by: { $0.heir.account < $1.heir.account }) {
            try tx.run(Self.makeCreator(heir.id))
            // A cover that may hold a position, and of which no copy without metadata is stored, is not handed on. `eraseSome` drops it.
            let rowBytes: Int64 = try tx.row(Self.hand(cove.id, to: heir.account))?.get("row_bytes") ?? 0
            if let cover = cove.cover, cove.coverOwner == account, try library.handShown(cover, from: account, to: heir.account, tx) {
                try tx.run(Self.handCover(of: cove.id, to: heir.account))
            }
            try library.note(rowBytes: rowBytes, owner: heir.account, tx)
            try library.note(rowBytes: -rowBytes, owner: account, tx)
        }
    }

    /// Gives covers that the account uploaded for coves that it created to the members who get these coves. The account stays the creator
    /// until `close`, so a cover belongs to somebody else than the creator meanwhile, as after another ADMIN has changed it.
    /// - Parameter last: the last cove of the step before; empty for the first one.
    /// - Returns: the last cove of this step; `nil` when no cove is left.
    func handSomeCovers(of account: String, after last: String, _ tx: WriteTransaction) throws -> String? {
        let ids: [String] = try tx.list(Self.covered(by: account, after: last)) { try $0.next("id") }
        for id in ids { try Membership.lock(id, tx) }
        // The coves are read under their locks: another write may have changed a cover before.
        var covers: [(cove: String, cover: String, heir: String)] = []
        for id in ids {
            guard let cover = try tx.first(Self.covered(id, by: account), Cove.init)?.cover,
                let heir = try heir(of: id, besides: account, tx)
            else { continue }
            covers.append((cove: id, cover: cover, heir: heir.account))
        }
        // In the order of the heirs' ids, as in `handCoves`.
        for (cove, cover, heir) in covers.sorted(by: { $0.heir < $1.heir }) {
            guard try library.handShown(cover, from: account, to: heir, tx) else { continue }
            try tx.run(Self.handCover(of: cove, to: heir))
        }
        return ids.count == Self.coversAtOnce ? ids.last : nil
    }

    /// The most covers of one write.
    static let coversAtOnce = 8

    /// The member who gets a cove: visible before suspended, ADMIN before MEMBER, then by the time of joining.
    private func heir(of cove: String, besides account: String, _ tx: ReadTransaction) throws -> CoveMember? {
        for isHidden in [false, true] {
            if let admin = try tx.first(Self.oldestAdmin(of: cove, besides: account, isHidden: isHidden), CoveMember.init) { return admin }
            if let member = try tx.first(Self.oldestMember(of: cove, besides: account, isHidden: isHidden), CoveMember.init) {
                return member
            }
        }
        return nil
    }

    // MARK: Statements

    static func joined(by account: String) -> SQL {
        """
        SELECT cove_member.cove FROM cove_member JOIN cove ON cove.id = cove_member.cove
        WHERE cove_member.account = \(account) AND cove.ended_at IS NULL
        """
    }

    static func created(by account: String) -> SQL {
        "\(sql: Cove.table.select) WHERE cove.creator = \(account) AND cove.ended_at IS NULL ORDER BY cove.created_at, cove.id"
    }

    /// Coves that the account created, with a cover that it uploaded.
    static func covered(by account: String, after last: String) -> SQL {
        """
        SELECT id FROM cove WHERE cover_owner = \(account) AND id > \(last) AND creator = \(account) AND ended_at IS NULL
        ORDER BY id LIMIT \(coversAtOnce)
        """
    }

    static func covered(_ cove: String, by account: String) -> SQL {
        """
        \(sql: Cove.table.select) WHERE cove.id = \(cove) AND cove.creator = \(account) AND cove.cover_owner = \(account)
            AND cove.ended_at IS NULL
        """
    }

    static func changeCounts(of account: String, in coves: [String], by change: Int, wasHidden: Bool) -> SQL {
        """
        UPDATE cove SET member_count = member_count + \(change)
        WHERE id IN (
            SELECT cove_member.cove FROM cove_member
            WHERE cove_member.account = \(account) AND cove_member.cove IN (\(sql: .list(coves))) AND cove_member.hidden = \(wasHidden))
        """
    }

    static func deleteMembers(_ account: String, of coves: [String]) -> SQL {
        "DELETE FROM cove_member WHERE account = \(account) AND cove IN (\(sql: .list(coves)))"
    }

    static func setHidden(_ isHidden: Bool, _ account: String, in coves: [String]) -> SQL {
        "UPDATE cove_member SET hidden = \(isHidden) WHERE account = \(account) AND cove IN (\(sql: .list(coves)))"
    }

    /// Makes the longest-standing visible member ADMIN in those of the coves that have no visible ADMIN. While a suspended ADMIN may come
    /// back, the member only stands in.
    static func promote(in coves: [String]) -> SQL {
        """
        UPDATE cove_member SET role = 'ADMIN', is_acting = CASE WHEN EXISTS (
                SELECT 1 FROM cove_member AS away WHERE away.cove = cove_member.cove AND away.hidden = 1 AND away.role = 'ADMIN')
            THEN 1 ELSE 0 END
        WHERE id IN (
            SELECT (SELECT heir.id FROM cove_member AS heir WHERE heir.cove = cove.id AND heir.hidden = 0
                ORDER BY heir.joined_at, heir.account LIMIT 1)
            FROM cove WHERE cove.id IN (\(sql: .list(coves))) AND cove.ended_at IS NULL AND NOT EXISTS (
                SELECT 1 FROM cove_member AS admin WHERE admin.cove = cove.id AND admin.hidden = 0 AND admin.role = 'ADMIN'))
        """
    }

    /// In coves without a suspended ADMIN, members who stood in for one stay ADMIN.
    static func confirmActing(in coves: [String]) -> SQL {
        """
        UPDATE cove_member SET is_acting = 0
        WHERE cove IN (\(sql: .list(coves))) AND role = 'ADMIN' AND is_acting = 1 AND NOT EXISTS (
            SELECT 1 FROM cove_member AS away WHERE away.cove = cove_member.cove AND away.hidden = 1 AND away.role = 'ADMIN')
        """
    }

    /// In those of the coves where the account is an ADMIN in its own right, members who acted as ADMIN in its place become members again.
    static func endActing(for account: String, in coves: [String]) -> SQL {
        """
        UPDATE cove_member SET role = 'MEMBER', is_acting = 0
        WHERE role = 'ADMIN' AND is_acting = 1 AND cove IN (
            SELECT mine.cove FROM cove_member AS mine
            WHERE mine.account = \(account) AND mine.cove IN (\(sql: .list(coves))) AND mine.role = 'ADMIN' AND mine.is_acting = 0)
        """
    }

    static func empty(among coves: [String]) -> SQL {
        """
        \(sql: Cove.table.select) WHERE cove.id IN (\(sql: .list(coves))) AND cove.ended_at IS NULL
            AND NOT EXISTS (SELECT 1 FROM cove_member WHERE cove_member.cove = cove.id)
        """
    }

    /// The outer condition on the owner is for PostgreSQL: there, another write may give the cove a new cover after this statement has
    /// selected the cove.
    static func dropCovers(of account: String, limit: Int) -> SQL {
        """
        UPDATE cove SET cover = NULL, cover_owner = NULL
        WHERE id IN (SELECT gone.id FROM cove AS gone WHERE gone.cover_owner = \(account) ORDER BY gone.id LIMIT \(limit))
            AND cover_owner = \(account)
        """
    }

    static func oldestAdmin(of cove: String, besides account: String, isHidden: Bool) -> SQL {
        """
        \(sql: CoveMember.table.select) WHERE cove = \(cove) AND hidden = \(isHidden) AND role = 'ADMIN' AND account <> \(account)
        ORDER BY joined_at, account LIMIT 1
        """
    }

    static func oldestMember(of cove: String, besides account: String, isHidden: Bool) -> SQL {
        """
        \(sql: CoveMember.table.select) WHERE cove = \(cove) AND hidden = \(isHidden) AND account <> \(account)
        ORDER BY joined_at, account LIMIT 1
        """
    }

    static func makeCreator(_ member: String) -> SQL {
        "UPDATE cove_member SET role = 'ADMIN', is_creator = 1, is_acting = 0 WHERE id = \(member)"
    }

    static func hand(_ cove: String, to heir: String) -> SQL {
        "UPDATE cove SET creator = \(heir) WHERE id = \(cove) RETURNING row_bytes"
    }

    static func handCover(of cove: String, to heir: String) -> SQL { "UPDATE cove SET cover_owner = \(heir) WHERE id = \(cove)" }
}
