import Core
import Database
import KeepsakeWire
import Media

/// Deletes what nobody sees any more, a few rows at a time.
extension CoveStore {
    /// Erases some rows of an account that is being deleted: first the ended coves that it created, with all that belongs to them; then the
    /// references to its covers of coves that continue; then its memberships of other ended coves, and memberships that a request wrote
    /// while the account was being closed. `close` has deleted all other memberships, and has handed the account's coves that continue to
    /// other members.
    /// - Returns: how many rows were deleted or changed, at most about `limit`; 0 when none is left.
    func eraseSome(of account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        if let cove = try tx.first(Self.firstEnded(of: account), Ended.init) { return try removeSome(cove, limit: limit, tx) }
        let covers = try tx.run(Self.dropCovers(of: account, limit: limit))
        if covers > 0 { return covers }
        return try tx.run(Self.eraseMembers(of: account, limit: limit))
    }

    /// Deletes coves that ended more than `CoveRules.keptDays` ago, in batches.
    func sweep() async throws {
        let before = identifiers.clock.now - .days(CoveRules.keptDays)
        while try await database.write({ tx in
            // Only one node deletes at a time.
            try tx.lock("coves that ended")
            guard let cove = try tx.first(Self.firstEnded(before: before), Ended.init) else { return false }
            return try removeSome(cove, limit: 500, tx) > 0
        }) {}
    }

    /// - Returns: how many rows were deleted: at least 1.
    private func removeSome(_ cove: Ended, limit: Int, _ tx: WriteTransaction) throws -> Int {
        // `forgetAnswers` finds the responses by the rows of the cove, so those rows are deleted last.
        let forgotten = try forgetAnswers(about: cove.id, creator: nil, tx)
        if forgotten.count > 0 {
            try note(forgotten, tx)
            return forgotten.count
        }
        for use in uses {
            let removed = try use.removeSome(cove.id, limit, tx)
            if removed > 0 { return removed }
        }
        for statement in [Self.removeMembers(of: cove.id, limit: limit), Self.removeRemovals(of: cove.id, limit: limit)] {
            let removed = try tx.run(statement)
            if removed > 0 { return removed }
        }
        if try tx.run(Self.remove(cove.id)) == 1, let creator = cove.creator {
            try library.note(rowBytes: -cove.rowBytes, owner: creator, tx)
        }
        return 1
    }

    private struct Ended {
        let id: String
        let creator: String?
        let rowBytes: Int64

        init(_ row: inout RowReader) throws {
            id = try row.next("id")
            creator = try row.next("creator")
            rowBytes = try row.next("row_bytes")
        }
    }

    // MARK: Statements

    static func firstEnded(of account: String) -> SQL {
        """
        SELECT id, creator, row_bytes FROM cove WHERE creator = \(account) AND ended_at IS NOT NULL
        ORDER BY created_at, id LIMIT 1
        """
    }

    static func firstEnded(before limit: Timestamp) -> SQL {
        "SELECT id, creator, row_bytes FROM cove WHERE ended_at < \(limit) ORDER BY ended_at, id LIMIT 1"
    }

    static func removeMembers(of cove: String, limit: Int) -> SQL {
        """
        DELETE FROM cove_member WHERE id IN (
            SELECT member.id FROM cove_member AS member WHERE member.cove = \(cove) ORDER BY member.account LIMIT \(limit))
        """
    }

    static func removeRemovals(of cove: String, limit: Int) -> SQL {
        """
        DELETE FROM cove_removal WHERE cove = \(cove) AND account IN (
            SELECT gone.account FROM cove_removal AS gone WHERE gone.cove = \(cove) ORDER BY gone.account LIMIT \(limit))
        """
    }

    static func remove(_ cove: String) -> SQL { "DELETE FROM cove WHERE id = \(cove) AND ended_at IS NOT NULL" }

    static func eraseMembers(of account: String, limit: Int) -> SQL {
        """
        DELETE FROM cove_member WHERE id IN (
            SELECT member.id FROM cove_member AS member WHERE member.account = \(account)
            ORDER BY member.joined_at, member.cove LIMIT \(limit))
        """
    }
}
