import Accounts
import Core
import Database
import KeepsakeWire
import Live
import Media
import People
import Web

/// All SQL of the table `cove_invite`.
///
/// An invitation belongs to a phone number, not to an account: an account with the verified number sees it, even if it is created later. An
/// invitation is valid only while the invited person sees it. It is not valid when it has expired, its cove has ended, its sender is hidden
/// or no longer an ADMIN of the cove, or one of sender and recipient has blocked the other. It is not valid either when the person was
/// removed from the cove after the invitation was sent.
struct InviteStore: Sendable {
    let database: any Database
    let accounts: AccountsFeature
    let library: MediaLibrary
    let notices: NoticeStore
    let identifiers: Identifiers
    let members: CoveStore
    let removal: InviteRemoval

    private var now: Timestamp { identifiers.clock.now }

    // MARK: For members

    /// The account's verified phone number in E.164; `nil` when it has proved none.
    func phone(of account: String) async throws -> String? {
        try await database.read { tx in try accounts.phone(of: account, tx) }
    }

    /// One of the phone numbers of a request.
    struct Number: Sendable {
        /// As the request wrote it.
        let written: String
        /// In E.164; `nil` when it is not a phone number.
        let phone: String?
    }

    /// Invites the phone numbers. For each number, the response has an invitation or the reason why there is none.
    /// - Throws: as `Membership.require`; `.forbidden` unless the sender is an ADMIN; `.conflict` when the cove has too many invitations;
    ///   `.tooLarge` beyond the sender's quota.
    func send<Answer: Sendable>(
        _ numbers: [Number], to cove: String, by sender: String, message: String?,
        answering: @escaping @Sendable ([SentInvites.Sent], [SentInvites.Refused], WriteTransaction) throws -> Answer
    ) async throws -> Answer {
        try await database.write { tx in
            try accounts.requireActive(sender, tx)
            try Membership.requireLocked(of: sender, in: cove, tx).requireAdmin()
            try notices.lock(sender, tx)
            var state = try known(Array(Set(numbers.compactMap(\.phone))), cove, sender, tx)
            var (made, sent, refused): ([CoveInvite], [SentInvites.Sent], [SentInvites.Refused]) = ([], [], [])
            for number in numbers {
                guard let phone = number.phone, state.refusal(of: phone) == nil else {
                    let refusal = number.phone.flatMap { state.refusal(of: $0) } ?? .notANumber
                    refused.append(SentInvites.Refused(phoneNumber: number.written, error: refusal.rawValue))
                    continue
                }
                let invite = CoveInvite(
                    id: identifiers.next(), cove: cove, phone: phone, sender: sender, message: message, createdAt: now)
                state.invited.insert(phone)
                made.append(invite)
                sent.append(SentInvites.Sent(id: invite.id, phoneNumber: number.written, createdAt: invite.createdAt.date))
            }
            for invite in made { try tx.run(CoveInvite.table.insert(invite)) }
            // If one of sender and person has blocked the other, the person is not notified and does not see the invitation.
            let notified = made.compactMap { invite in
                state.recipients[invite.phone].map { (payload: CoveInviteNotice(inviteId: invite.id, coveId: cove), account: $0) }
            }
            try notices.notify(.coveInvited, notified, from: sender, tx)
            state.freed[sender, default: 0] -= made.reduce(0) { $0 + $1.rowBytes }
            // The accounts are sorted, as in every write that changes the usage of several accounts.
            for (account, byteCount) in state.freed.sorted(by: { $0.key < $1.key }) {
                try library.count(rowBytes: -byteCount, owner: account, tx)
            }
            return try answering(sent, refused, tx)
        }
    }

    /// What is known about the phone numbers of one request.
    private struct Known {
        /// Numbers with an open invitation to the cove.
        var invited: Set<String> = []
        var memberPhones: Set<String> = []
        /// Numbers that have too many open invitations.
        var full: Set<String> = []
        /// The accounts that may be notified, by their numbers.
        var recipients: [String: String] = [:]
        /// Bytes that each account's quota gets back, because useless invitations were deleted.
        var freed: [String: Int64] = [:]

        func refusal(of phone: String) -> InviteRules.Refusal? {
            if invited.contains(phone) { return .exists }
            if memberPhones.contains(phone) { return .member }
            return full.contains(phone) ? .tooMany : nil
        }
    }

    private func known(_ phones: [String], _ cove: String, _ sender: String, _ tx: WriteTransaction) throws -> Known {
        var known = Known()
        guard !phones.isEmpty else { return known }
        try removal.run(Self.deleteUseless(phones, of: cove, now), freeing: &known.freed, tx)
        known.invited = Set(try tx.list(Self.invited(phones, to: cove)) { try $0.next("phone") as String })
        // This check comes before members' numbers are left out: otherwise its error would reveal whether one of the numbers is a member's.
        try makeRoom(for: phones.count - known.invited.count, in: cove, by: sender, freeing: &known.freed, tx)
        let people = try accounts.accounts(withPhones: phones, tx)
        known.full = try full(phones, owners: people, sender, freeing: &known.freed, tx)
        guard !people.isEmpty else { return known }
        let ids = Array(people.values)
        let visible = Set(try tx.list(Self.visible(ids, to: sender)) { try $0.next("id") as String })
        let members = Set(try tx.list(Self.members(ids, of: cove)) { try $0.next("account") as String })
        // The number of a member who is blocked is treated like an unknown number, so that nobody finds out whose number it is.
        for (phone, account) in people where visible.contains(account) {
            if members.contains(account) { known.memberPhones.insert(phone) } else { known.recipients[phone] = account }
        }
        return known
    }

    /// Checks the limits of the cove. If too many invitations to it are stored, deletes some useless ones.
    private func makeRoom(
        for count: Int, in cove: String, by sender: String, freeing freed: inout [String: Int64], _ tx: WriteTransaction
    ) throws {
        guard count > 0, let row = try tx.row(Self.openCount(of: cove, by: sender, now)) else { return }
        let (open, own): (Int, Int) = (try row.get("count"), try row.get("own"))
        guard own + count <= InviteRules.maxForCoveOfSender else { throw InviteRules.tooManyOfSender }
        guard open + count <= InviteRules.maxForCove else { throw InviteRules.tooManyForCove }
        let kept: Int = try tx.row(Self.keptCount(of: cove))?.get("count") ?? 0
        guard kept + count > InviteRules.maxKeptForCove else { return }
        let useless = Self.deleteUseless(of: cove, limit: InviteRules.replacedForCove, now)
        let deleted = try removal.run(useless, freeing: &freed, tx)
        guard kept - deleted + count <= InviteRules.maxKeptForCove else { throw InviteRules.tooManyForCove }
    }

    /// Returns the numbers that have too many invitations. Of numbers that have very many, deletes some useless ones.
    /// - Parameter owners: the accounts that have proved one of the numbers, by their numbers.
    private func full(
        _ phones: [String], owners: [String: String], _ sender: String, freeing freed: inout [String: Int64], _ tx: WriteTransaction
    ) throws -> Set<String> {
        var full: Set<String> = []
        var counted: [String] = []
        // How many useless invitations the numbers have that have very many invitations.
        var useless: [String: Int] = [:]
        for row in try tx.rows(Self.keptCounts(to: phones)) {
            let (phone, kept): (String, Int) = (try row.get("phone"), try row.get("count"))
            if kept >= InviteRules.maxKeptForPhone {
                full.insert(phone)
                // It is not known whether any are useless, so numbers that have some come first.
                useless[phone] = 0
            } else if kept >= InviteRules.maxForPhoneOfSender {
                counted.append(phone)
            }
        }
        let rows = try counted.isEmpty ? [] : tx.rows(Self.openCounts(to: counted, by: sender, now))
        for row in rows {
            let (phone, valid): (String, Int) = (try row.get("phone"), try row.get("valid"))
            let count: Int = try row.get("useless")
            let (own, kept): (Int, Int) = (try row.get("own"), try row.get("kept"))
            if count > 0, valid + count >= InviteRules.crowdedForPhone { useless[phone] = count }
            if own >= InviteRules.maxForPhoneOfSender || kept >= InviteRules.maxKeptForPhoneOfSender {
                full.insert(phone)
            } else if valid >= InviteRules.maxForPhone {
                // Invitations that the number's owner does not see because of a block must not use up the limit.
                var seen = valid
                if let owner = owners[phone], let row = try tx.row(Self.receivedCount(phone, by: owner, now)) {
                    seen = try row.get("count")
                }
                if seen >= InviteRules.maxForPhone { full.insert(phone) }
            }
        }
        try deleteUseless(to: useless, freeing: &freed, tx)
        return full
    }

    /// - Parameter counts: how many useless invitations each number has; 0 if that is not known.
    private func deleteUseless(to counts: [String: Int], freeing freed: inout [String: Int64], _ tx: WriteTransaction) throws {
        var left = InviteRules.replacedForPhones
        let phones = counts.keys.sorted { (counts[$0] ?? 0, $0) > (counts[$1] ?? 0, $1) }
        for phone in phones.prefix(InviteRules.cleanedPhones) where left > 0 {
            left -= try removal.run(Self.deleteUseless(to: phone, limit: left, now), freeing: &freed, tx)
        }
    }

    /// The invitations that the account sent and that nobody has used, newest first.
    /// - Parameter cove: only invitations to this cove; `nil` for all coves that have not ended.
    /// - Throws: if `cove` is set, as `Membership.require`.
    func sent(
        by account: String, cove: String?, _ request: PageRequest<TimeKey>
    ) async throws -> Page<CoveInvite, TimeKey> {
        let statement = Self.sent(by: account, cove: cove, now, after: request.after, limit: request.rowLimit)
        let rows = try await database.read { tx in
            if let cove { _ = try Membership.require(of: account, in: cove, tx) }
            return try tx.list(statement, CoveInvite.init)
        }
        return Page(rows, limit: request.limit) { TimeKey(at: $0.createdAt, id: $0.id) }
    }

    /// The position of an invitation in the list of `sent`; `nil` when the list has no such row.
    func position(of invite: String, sentBy account: String, cove: String?) async throws -> TimeKey? {
        let statement = Self.sent(invite, by: account, cove: cove, now)
        return try await database.list(statement, CoveInvite.init).first.map { TimeKey(at: $0.createdAt, id: $0.id) }
    }

    /// - Throws: `.notFound` unless the account sent such an invitation.
    func cancel(_ id: String, by account: String) async throws {
        try await database.write { tx in
            guard try removal.run(Self.cancel(id, by: account), tx) == 1 else { throw InviteRules.noSuchInvite }
        }
    }

    // MARK: For the person who is invited

    func received(by account: String) async throws -> [ReceivedInvite] {
        try await database.read { tx in
            guard let phone = try accounts.phone(of: account, tx) else { return [] }
            return try tx.list(Self.received(phone, by: account, now), ReceivedInvite.init)
        }
    }

    /// - Throws: `.notFound` unless the account sees such an invitation.
    func open(_ id: String, by account: String) async throws -> ReceivedInvite {
        try await database.write { tx in
            guard var invite = try one(id, receivedBy: account, tx) else { throw InviteRules.noSuchInvite }
            try tx.run(Self.open(id))
            invite.isOpened = true
            return invite
        }
    }

    /// - Throws: `.notFound` unless the account sees such an invitation.
    func reject(_ id: String, by account: String) async throws {
        try await database.write { tx in
            guard try one(id, receivedBy: account, tx) != nil, try removal.run(Self.delete(id), tx) == 1 else {
                throw InviteRules.noSuchInvite
            }
        }
    }

    /// Makes the account a member, and deletes its invitation.
    /// - Throws: `.notFound` when there is no such cove; `.forbidden` when the account needs an invitation; `.conflict` when it is a member
    ///   already, or of too many coves.
    func join<Answer: Sendable>(
        _ id: String, _ account: String, answering: @escaping @Sendable (CoveMember, WriteTransaction) throws -> Answer
    ) async throws -> Answer {
        try await database.write { tx in
            try accounts.requireActive(account, tx)
            try Membership.lock(id, tx)
            let (cove, known) = try Membership.find(of: account, in: id, tx)
            guard known == nil else { throw InviteRules.alreadyMember }
            let phone = try accounts.phone(of: account, tx)
            if try cove.joining == .invite || members.isRemoved(account, from: id, tx) {
                guard let phone, try tx.row(Self.received(phone, by: account, now, cove: id)) != nil else { throw InviteRules.needed }
            }
            try members.requireRoom(for: account, tx)
            let member = try members.add(account, to: cove, tx)
            if let phone { try removal.run(Self.delete(phone: phone, cove: id), tx) }
            return try answering(member, tx)
        }
    }

    private func one(_ id: String, receivedBy account: String, _ tx: ReadTransaction) throws -> ReceivedInvite? {
        guard let phone = try accounts.phone(of: account, tx) else { return nil }
        return try tx.first(Self.received(phone, by: account, now, id: id), ReceivedInvite.init)
    }

    // MARK: Deleting

    /// - Returns: how many invitations of a deleted account were erased, at most `limit`.
    func eraseSome(of account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        try tx.run(Self.erase(of: account, limit: limit))
    }

    /// Deletes expired invitations in batches.
    func sweep() async throws {
        try await database.sweep { limit, tx in
            // Only one node deletes at a time.
            try tx.lock("invitations that expired")
            return try removal.run(Self.deleteExpired(before: now, limit: limit), tx)
        }
    }
}
