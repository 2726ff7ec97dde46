import Core
import Database
import KeepsakeWire

/// An account's membership of a cove that has not ended. Every request of a member begins with `require`, in the transaction that reads or
/// writes what the request is about.
struct Membership: Sendable {
    let cove: Cove
    let member: CoveMember

    /// - Parameter missing: the error when there is no such cove or it has ended. A request that names an event of the cove, and not the
    ///   cove itself, passes `.noSuchEvent`.
    /// - Throws: `missing`; `.forbidden` unless the account is a member.
    static func require(
        of account: String, in cove: String, missing: Problem = .noSuchCove, _ tx: ReadTransaction
    ) throws -> Membership {
        let (cove, member) = try find(of: account, in: cove, missing: missing, tx)
        guard let member else { throw Problem(.forbidden, "Only members of this cove may do this.") }
        return Membership(cove: cove, member: member)
    }

    /// The cove, and the account's membership if there is one.
    /// - Throws: `missing` when there is no such cove or it has ended.
    static func find(
        of account: String, in cove: String, missing: Problem = .noSuchCove, _ tx: ReadTransaction
    ) throws -> (cove: Cove, member: CoveMember?) {
        guard let found = try tx.first(standing(of: account, in: cove), Found.init) else { throw missing }
        return (found.cove, found.member(cove, account))
    }

    /// Like `require`, under the cove's lock: until the write ends, no other write changes the cove's members, roles or texts. Call
    /// `AccountsFeature.requireActive` before it in a write that adds something for the account, and lock no other cove in the same write.
    static func requireLocked(
        of account: String, in cove: String, missing: Problem = .noSuchCove, _ tx: WriteTransaction
    ) throws -> Membership {
        try lock(cove, tx)
        return try require(of: account, in: cove, missing: missing, tx)
    }

    static func lock(_ cove: String, _ tx: WriteTransaction) throws { try tx.lock("cove " + cove) }

    /// - Parameter refusal: the error's message; says who may do this, if not only ADMINs may.
    /// - Throws: `.forbidden` unless the member is an ADMIN.
    func requireAdmin(refusing refusal: String = "Only ADMINs of this cove may do this.") throws {
        guard member.role == .admin else { throw Problem(.forbidden, refusal) }
    }

    /// - Throws: `.forbidden`.
    func requireCreator() throws {
        guard member.isCreator else { throw Problem(.forbidden, "Only the creator of this cove may do this.") }
    }

    /// The cove, and the account's membership beside it if there is one.
    static func standing(of account: String, in cove: String) -> SQL {
        """
        SELECT \(sql: Cove.table.columns), member.id AS member, member.role, member.is_creator, member.joined_at FROM cove
        LEFT JOIN cove_member AS member ON member.cove = cove.id AND member.account = \(account)
        WHERE cove.id = \(cove) AND cove.ended_at IS NULL
        """
    }

    private struct Found {
        let cove: Cove
        let id: String?
        let role: String?
        let isCreator: Int64?
        let joinedAt: Timestamp?

        init(_ row: inout RowReader) throws {
            cove = try Cove(&row)
            id = try row.next("member")
            role = try row.next("role")
            isCreator = try row.next("is_creator")
            joinedAt = try row.next("joined_at")
        }

        func member(_ cove: String, _ account: String) -> CoveMember? {
            guard let id, let role, let joinedAt else { return nil }
            return CoveMember(
                id: id, cove: cove, account: account, role: CoveRole(rawValue: role), isCreator: isCreator == 1, joinedAt: joinedAt)
        }
    }
}

extension Problem {
    static let noSuchCove = Problem(.notFound, "There is no such cove.", field: "coveId")
    static let noSuchMember = Problem(.notFound, "This cove has no such member.", field: "userId")
}
