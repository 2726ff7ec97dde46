import Accounts
import Blobs
import Core
import Database
import Jobs
import KeepsakeWire
import Live
import Media
import People
import Web

/// All SQL of the tables `cove`, `cove_member` and `cove_removal`.
///
/// Order of locks: the account's standing (`AccountsFeature.requireActive`), then the coves in the order of their ids (`Membership.lock`),
/// then rows. Every write that changes a cove's members or its own row holds the cove's lock, so concurrent writes can neither make
/// `member_count` wrong nor remove the last ADMIN.
struct CoveStore: Sendable {
    let database: any Database
    let accounts: AccountsFeature
    let library: MediaLibrary
    let events: EventLog
    let announcer: CoveAnnouncer
    let jobs: JobQueue
    let identifiers: Identifiers
    /// The other parts of the feature.
    let uses: [CoveUse]

    /// Adds the cove with its creator as the only member and ADMIN.
    /// - Parameter answering: makes the response inside the transaction, so that the response is stored together with the rows.
    /// - Returns: the response, and the staged blobs that duplicate stored bytes.
    /// - Throws: `.forbidden` unless the creator is verified; `.conflict` beyond the bounds of `CoveRules`; `.tooLarge`.
    func create<Answer: Sendable>(
        _ cove: Cove, by creator: String, cover: MediaLibrary.File?,
        answering: @escaping @Sendable (WriteTransaction) throws -> Answer
    ) async throws -> (Answer, surplus: [BlobKey]) {
        try await database.write { tx in
            try accounts.requireActive(creator, tx)
            try requireVerified(creator, tx)
            try requireRoom(for: creator, tx)
            let created: Int = try tx.row(Self.createdCount(of: creator))?.get("count") ?? 0
            guard created < CoveRules.maxCreated else { throw CoveRules.tooManyCreated }
            try tx.run(Cove.table.insert(cove, with: ["row_bytes": cove.rowBytes]))
            let member = CoveMember(
                id: identifiers.next(), cove: cove.id, account: creator, role: .admin, isCreator: true, joinedAt: cove.createdAt)
            try tx.run(CoveMember.table.insert(member))
            let surplus = try library.add([cover].compactMap { $0 }, rowBytes: cove.rowBytes, owner: creator, tx)
            try events.emit(.coveJoined, CoveMemberNotice(coveId: cove.id, userId: creator), to: creator, tx)
            return (try answering(tx), surplus)
        }
    }

    /// - Throws: `.forbidden` unless the account is verified.
    func requireVerified(_ account: String, _ tx: ReadTransaction) throws {
        guard try accounts.isVerified(account, tx) else {
            throw Problem(.forbidden, "Only verified users can create coves. \(accounts.wayToVerify)")
        }
    }

    /// - Throws: as `Membership.require`, and `.forbidden` unless the account is an ADMIN; `.tooLarge` when the cover exceeds the account's
    ///   quota.
    func edit(
        _ id: String, by account: String, _ change: CoveChange, cover: MediaLibrary.File?
    ) async throws -> (Cove, surplus: [BlobKey]) {
        if cover != nil || change.removesCover {
            try await prepareErasingCover(of: id, by: account) { membership, _ in membership.member.role == .admin }
        }
        return try await database.write { tx in
            try accounts.requireActive(account, tx)
            let membership = try Membership.requireLocked(of: account, in: id, tx)
            try membership.requireAdmin()
            let old = membership.cove
            let counted: Int64 = try tx.row(Self.rowBytes(of: id))?.get("row_bytes") ?? 0
            var cove = old
            change.apply(to: &cove)
            let changesCover = cover != nil || change.removesCover
            if changesCover { (cove.cover, cove.coverOwner) = (cover?.id, cover.map { _ in account }) }
            // The row is updated before the old file is erased, so that the file's deletion finds no reference to drop.
            try tx.run(Self.update(cove))
            let surplus = changesCover ? try replaceCover(of: old, with: cover, by: account, tx) : []
            // The row counts against the creator's quota, whoever edits it, so it is counted even beyond the quota. Its texts are short.
            if let creator = cove.creator { try library.note(rowBytes: cove.rowBytes - counted, owner: creator, tx) }
            return (cove, surplus)
        }
    }

    /// Ends the cove: nobody sees it from now on.
    /// - Throws: as `Membership.require`, and `.forbidden` unless the account has the creator's rights.
    func delete(_ id: String, by account: String) async throws {
        try await prepareErasingCover(of: id, by: account) { membership, _ in membership.member.isCreator }
        try await database.write { tx in
            let membership = try Membership.requireLocked(of: account, in: id, tx)
            try membership.requireCreator()
            try announcer.notify(cove: id, kind: .coveEnded, payload: CoveNotice(coveId: id), except: account, always: true, tx)
            try events.emit(.coveEnded, CoveNotice(coveId: id), to: account, tx)
            try end(membership.cove, tx)
        }
    }

    /// Call it before a write that erases the cove's cover.
    /// - Parameter erases: whether the account's request is allowed and erases the cover. If not, this does nothing, and the write decides
    ///   how to respond.
    func prepareErasingCover(
        of id: String, by account: String, if erases: @escaping @Sendable (Membership, ReadTransaction) throws -> Bool
    ) async throws {
        let found = try await database.read { tx -> Cove? in
            do {
                let membership = try Membership.require(of: account, in: id, tx)
                return try erases(membership, tx) ? membership.cove : nil
            } catch is Problem {
                return nil
            }
        }
        guard let cover = found?.cover, let owner = found?.coverOwner else { return }
        try await library.prepareErasing([cover], owner: owner)
    }

    /// The cove as the account sees it: without the cover while the account that uploaded it is suspended.
    /// - Throws: as `Membership.require`.
    func details(_ id: String, for account: String) async throws -> (Membership, creator: CoveCreator) {
        try await database.read { tx in
            let membership = try Membership.require(of: account, in: id, tx)
            var cove = membership.cove
            if let uploader = cove.coverOwner, try !PersonStanding.isOpen(uploader, tx) { (cove.cover, cove.coverOwner) = (nil, nil) }
            let shown = Membership(cove: cove, member: membership.member)
            guard let creator = cove.creator else { return (shown, CoveCreator(id: "", name: "")) }
            let found = try tx.first(Self.creator(creator, seenBy: account)) { try CoveCreator(&$0, id: creator) }
            return (shown, found ?? CoveCreator(id: "", name: ""))
        }
    }

    /// The account's coves, in the order in which the account joined them.
    func coves(of account: String) async throws -> [CoveCard] {
        try await database.list(Self.coves(of: account)) { try CoveCard(&$0) }
    }

    // MARK: Inside a transaction

    /// - Throws: `.conflict` when the account is a member of too many coves, or too many of its coves have ended lately.
    func requireRoom(for account: String, _ tx: ReadTransaction) throws {
        // These counts come first, because they are bounded: the others read all rows.
        for statement in [CoveMembership.keptCount(of: account), Self.createdKeptCount(of: account)] {
            let kept: Int = try tx.row(statement)?.get("count") ?? 0
            guard kept < CoveRules.maxKept else { throw CoveRules.tooManyKept }
        }
        let count: Int = try tx.row(CoveMembership.count(of: account))?.get("count") ?? 0
        guard count < CoveRules.maxMemberships else { throw CoveRules.tooManyMemberships }
    }

    /// Ends the cove, under its lock. Its rows are deleted later, by `removeSome`. Does nothing for a cove that has ended.
    /// - Parameter closing: the account whose closing ends the cove, if that is the cause. The account's files and stored responses are
    ///   erased with the account. Jobs delete other members' covers and stored responses, because the account may have created many coves.
    func end(_ cove: Cove, closing: String? = nil, _ tx: WriteTransaction) throws {
        guard try tx.run(Self.end(cove.id, at: identifiers.clock.now)) == 1 else { return }
        for use in uses { try use.coveEnded(cove.id, tx) }
        var forgotten: Forgotten?
        if closing == nil { forgotten = try forgetAnswers(about: cove.id, creator: cove.creator, tx) }
        if closing == nil, let cover = cove.cover, let owner = cove.coverOwner { try library.erase([cover], owner: owner, tx) }
        if let forgotten { try note(forgotten, tx) }
        if try forgotten?.isComplete != true || hasSharedRows(of: cove.id, tx) {
            try jobs.enqueue(ForgetCove(cove: cove.id, creator: closing == nil ? cove.creator : nil), owner: nil, tx)
        }
        if closing != nil, let cover = cove.cover, let owner = cove.coverOwner, owner != closing {
            try jobs.enqueue(EraseCover(cover: cover, owner: owner), owner: owner, tx)
        }
    }

    /// Adds the account's new cover to its library, and erases the old one from its owner's library.
    private func replaceCover(
        of old: Cove, with cover: MediaLibrary.File?, by account: String, _ tx: WriteTransaction
    ) throws -> [BlobKey] {
        guard let gone = old.cover, let owner = old.coverOwner else {
            return try cover.map { try library.add([$0], rowBytes: 0, owner: account, tx) } ?? []
        }
        // The quota check of the new file must not include the old one's bytes. The old file may be missing, if its owner has just deleted
        // it.
        if let cover, owner == account, try library.byteCount(of: gone, owner: owner, tx) != nil,
            let replaced = try library.replace(gone, with: cover, owner: owner, tx)
        {
            return replaced.surplus
        }
        let surplus = try cover.map { try library.add([$0], rowBytes: 0, owner: account, tx) } ?? []
        try library.erase([gone], owner: owner, tx)
        return surplus
    }
}

/// What other people see of a cove's creator. Id and name are empty when the creator's account is hidden. Only the name is empty when
/// viewer or creator has blocked the other.
struct CoveCreator: Sendable, Equatable {
    let id: String
    let name: String

    init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    init(_ row: inout RowReader, id: String) throws {
        let card = try PersonCard(&row, id: id)
        let isShown: Bool = try row.next("is_shown")
        self.init(id: card.isHidden ? "" : id, name: card.isHidden || !isShown ? "" : card.name)
    }
}

/// A cove as lists show it.
struct CoveCard: Sendable, Equatable {
    let id: String
    let name: String
    let cover: String?
    let coverOwner: String?

    init(_ row: inout RowReader) throws {
        id = try row.next("id")
        name = try row.next("name")
        cover = try row.next("cover")
        coverOwner = try row.next("cover_owner")
    }
}
