import Accounts
import Database
import Media
import Web

/// Deletes invitations inside a transaction, and releases the bytes that they count against their senders' quotas.
struct InviteRemoval: Sendable {
    let accounts: AccountsFeature
    let library: MediaLibrary

    /// - Parameter deletion: a DELETE that returns `id`, `sender` and `row_bytes`.
    /// - Returns: how many invitations were deleted.
    @discardableResult
    func run(_ deletion: SQL, _ tx: WriteTransaction) throws -> Int {
        var freed: [String: Int64] = [:]
        let count = try run(deletion, freeing: &freed, tx)
        // The senders are sorted, as in every write that changes the usage of several accounts, so that two such writes cannot deadlock.
        for (sender, byteCount) in freed.sorted(by: { $0.key < $1.key }) { try library.note(rowBytes: -byteCount, owner: sender, tx) }
        return count
    }

    /// As `run(_:_:)`, but the caller releases the bytes.
    /// - Parameter freed: the bytes that each sender's quota gets back are added to it.
    @discardableResult
    func run(_ deletion: SQL, freeing freed: inout [String: Int64], _ tx: WriteTransaction) throws -> Int {
        let rows = try tx.rows(deletion)
        for row in rows {
            let sender: String = try row.get("sender")
            let answerBytes = try IdempotencyStore.forget(CoveInvite.resource(row.get("id")), of: sender, tx)
            freed[sender, default: 0] += try answerBytes + row.get("row_bytes", as: Int64.self)
        }
        return rows.count
    }

    /// Deletes the invitations of somebody who has just left the coves or was removed from one: the person needs a new
    /// invitation to return.
    func drop(for account: String, to coves: [String], _ tx: WriteTransaction) throws {
        guard let phone = try accounts.phone(of: account, tx) else { return }
        var invited = coves
        // Each DELETE is a round trip to PostgreSQL. Usually only a few of the coves have invited the person, so read first which ones.
        if coves.count > 1 {
            let all = Set(try tx.rows(InviteStore.coves(inviting: phone)).map { try $0.get("cove", as: String.self) })
            invited = coves.filter { all.contains($0) }
        }
        for cove in invited { try run(InviteStore.delete(phone: phone, cove: cove), tx) }
    }

    /// Deletes the invitations to the phone number of an account that is being closed, before the account loses the number. Invitations
    /// that the account sent are hidden with it, and `InviteStore.eraseSome` deletes them.
    func close(_ account: String, _ tx: WriteTransaction) throws {
        guard let phone = try accounts.phone(of: account, tx) else { return }
        try run(InviteStore.delete(phone: phone), tx)
    }

    /// What happens to invitations when a membership or a cove ends.
    var use: CoveUse {
        CoveUse(
            memberLeft: { account, coves, tx in try drop(for: account, to: coves, tx) },
            // `run` deletes the stored responses, so there is no `answered`: each write would read all invitations of the cove again.
            // Whoever invites a number reads all invitations to this number, also those to coves that have ended.
            hasSharedRows: { cove, tx in try tx.row(InviteStore.anyInvite(to: cove)) != nil },
            removeSome: { cove, limit, tx in try run(InviteStore.delete(ofCove: cove, limit: limit), tx) })
    }
}
