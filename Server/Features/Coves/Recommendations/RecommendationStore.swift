import Core
import Database
import People

/// Finds people who share coves with an account. Reads the tables of coves and friends; it has none of its own.
///
/// The work is bounded, however large the coves are: the store examines the `coveCount` coves that the account joined most recently, and in
/// each cove the `memberCount` members who joined most recently.
struct RecommendationStore: Sendable {
    /// The most coves that the store examines.
    static let coveCount = 20
    /// The most members of each cove that the store examines.
    static let memberCount = 100

    let database: any Database
    let clock: WallClock

    /// The people with the most shared coves come first; people with equally many are in the order of their account ids. The list omits
    /// friends, people with a pending friend request from or to `account`, and people whom `account` may not see.
    func people(
        for account: String, _ request: PageRequest<RecommendationKey>
    ) async throws -> Page<Recommendation, RecommendationKey> {
        let asOf = request.after?.asOf ?? clock.now
        let rows = try await database.read { tx in
            let coves = try tx.list(Self.coves(of: account), SourceCove.init)
            guard !coves.isEmpty else { return [] as [Recommendation] }
            let people = Self.people(for: account, in: coves, asOf: asOf, after: request.after, limit: request.rowLimit)
            return try tx.list(people, Recommendation.init)
        }
        return Page(rows, limit: request.limit) { RecommendationKey(shared: $0.shared, account: $0.card.id, asOf: asOf) }
    }

    /// The position of a person in the list; `nil` when the person is not in it.
    func position(of person: String, for account: String) async throws -> RecommendationKey? {
        let asOf = clock.now
        return try await database.read { tx in
            let coves = try tx.list(Self.coves(of: account), SourceCove.init)
            guard !coves.isEmpty else { return nil }
            let statement = Self.people(for: account, in: coves, asOf: asOf, only: person, after: nil, limit: 1)
            return try tx.first(statement, Recommendation.init).map {
                RecommendationKey(shared: $0.shared, account: person, asOf: asOf)
            }
        }
    }

    /// A cove whose members may be recommended.
    struct SourceCove: Sendable {
        let id: String
        /// Whether the cove has more members than the store examines.
        let isLarge: Bool

        init(id: String, isLarge: Bool) {
            self.id = id
            self.isLarge = isLarge
        }

        init(_ row: inout RowReader) throws {
            id = try row.next("cove")
            let memberCount: Int = try row.next("member_count")
            isLarge = memberCount > RecommendationStore.memberCount
        }
    }

    // MARK: Statements

    static func coves(of account: String) -> SQL {
        """
        SELECT cove_member.cove, cove.member_count FROM cove_member JOIN cove ON cove.id = cove_member.cove
        WHERE cove_member.account = \(account) AND cove.ended_at IS NULL
        ORDER BY cove_member.joined_at DESC, cove_member.cove DESC LIMIT \(coveCount)
        """
    }

    /// Finds people and counts the coves that they share with `account`. The statement reads all members of a small cove, and counts these
    /// rows. Of a large cove it reads only some members, so it looks up each candidate's membership.
    /// - Parameters:
    ///   - coves: at least one.
    ///   - person: restricts the result to this person; `nil` for everybody.
    static func people(
        for account: String, in coves: [SourceCove], asOf: Timestamp, only person: String? = nil, after key: RecommendationKey?, limit: Int
    ) -> SQL {
        let members = coves.map { cove -> SQL in
            let counted: SQL = cove.isLarge ? "0" : "1"
            return """
                SELECT newest.account, \(sql: counted) AS counted FROM (
                    SELECT cove_member.account FROM cove_member
                    WHERE cove_member.cove = \(cove.id) AND cove_member.hidden = 0 AND cove_member.joined_at <= \(asOf)
                    ORDER BY cove_member.joined_at DESC, cove_member.account DESC LIMIT \(memberCount)) AS newest
                """
        }
        var all: SQL = members[0]
        for next in members.dropFirst() { all = all + " UNION ALL " + next }
        let large = coves.filter(\.isLarge).map(\.id)
        var inLarge: SQL = ""
        if !large.isEmpty {
            inLarge = """
                 + (SELECT COUNT(*) FROM cove_member WHERE cove_member.account = near.account
                    AND cove_member.cove IN (\(sql: .list(large))) AND cove_member.joined_at <= \(asOf))
                """
        }
        var only: SQL = ""
        if let person { only = " AND near.account = \(person)" }
        var after: SQL = ""
        if let key { after = " WHERE shared < \(key.shared) OR (shared = \(key.shared) AND account > \(key.account))" }
        // MATERIALIZED makes the database look up the memberships in large coves only once for each candidate.
        return """
            WITH found AS MATERIALIZED (
                SELECT near.account, near.counted\(sql: inLarge) AS shared, \(sql: PersonSQL.columns)
                FROM (
                    SELECT seen.account, CAST(SUM(seen.counted) AS BIGINT) AS counted FROM (\(sql: all)) AS seen
                    WHERE seen.account <> \(account) GROUP BY seen.account) AS near\(sql: PersonSQL.join("near.account"))
                WHERE 1 = 1\(sql: only)\(sql: PersonSQL.isNotBlocked("near.account", by: account))
                    \(sql: PersonSQL.isNoFriend("near.account", of: account)))
            SELECT account, shared, name, hidden, media FROM found\(sql: after)
            ORDER BY shared DESC, account LIMIT \(limit)
            """
    }
}

/// A person who shares coves with the caller.
struct Recommendation: Sendable, Equatable {
    /// How many of the examined coves the two people share.
    let shared: Int
    let card: PersonCard

    init(_ row: inout RowReader) throws {
        let account: String = try row.next("account")
        shared = try row.next("shared")
        card = try PersonCard(&row, id: account)
    }
}
