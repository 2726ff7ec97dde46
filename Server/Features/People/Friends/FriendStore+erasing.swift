import Core
import Database
import Media
import Web

extension FriendStore {
    // MARK: Accounts that others no longer see

    /// Subtracts a person from the counters of their friends and of the recipients of their pending requests. One statement changes each
    /// kind of counter, in at most `FriendRules.maxFriends` or `FriendRules.maxPending` rows. Call it before `profile.hidden` changes; if
    /// the person is hidden already, it does nothing.
    func hide(_ person: String, _ tx: WriteTransaction) throws {
        try PersonLocks.take([person], tx)
        guard try !isHidden(person, tx) else { return }
        try shift(person, by: -1, tx)
    }

    /// Undoes what `hide` did. Call it before `profile.hidden` changes.
    func show(_ person: String, _ tx: WriteTransaction) throws {
        try PersonLocks.take([person], tx)
        guard try isHidden(person, tx) else { return }
        try shift(person, by: 1, tx)
    }

    private func shift(_ person: String, by amount: Int, _ tx: WriteTransaction) throws {
        // The list includes the person, because the caller changes that row next. Without its lock, friends who delete their accounts at
        // the same time would deadlock.
        let friends: [String] = try tx.list(Self.friends(of: person)) { try $0.next("friend") }
        let recipients: [String] = try tx.list(Self.recipients(of: person)) { try $0.next("recipient") }
        let people = Set(friends + recipients + [person]).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        for start in stride(from: 0, to: people.count, by: Self.lockCount) {
            _ = try tx.rows(Self.rows(of: Array(people[start..<min(start + Self.lockCount, people.count)]), tx.lockingRows))
        }
        try tx.run(Self.shiftFriends(of: person, by: amount))
        try tx.run(Self.shiftRecipients(of: person, by: amount))
    }

    private func isHidden(_ person: String, _ tx: ReadTransaction) throws -> Bool {
        try tx.row(Self.hidden(person))?.get("hidden", as: Int64.self) == 1
    }

    // MARK: Deletion

    /// Deletes some rows of a hidden account: its friendships, and the requests from it and to it. No counter includes them, because hiding
    /// the account subtracted them.
    /// - Returns: how many rows were deleted.
    func eraseSome(of account: String, limit: Int, _ tx: WriteTransaction) throws -> Int {
        let friendships: [String] = try tx.list(Self.someFriendships(of: account, limit: limit)) { try $0.next("id") }
        if !friendships.isEmpty { return try tx.run(Self.deletion(ofFriendships: friendships)) }
        for statement in [Self.someRequests(from: account, limit: limit), Self.someRequests(to: account, limit: limit)] {
            let requests = try tx.list(statement, StoredFriendRequest.init)
            guard !requests.isEmpty else { continue }
            try tx.run(Self.deletion(of: requests.map(\.id)))
            try forgetAnswers(requests, tx)
            return requests.count
        }
        return 0
    }

    /// Deletes requests that were resolved more than 90 days ago.
    func sweep() async throws {
        let end = identifiers.clock.now - FriendRules.resolvedLifetime
        try await database.sweep { limit, tx in
            let requests = try tx.list(Self.resolved(before: end, limit: limit), StoredFriendRequest.init)
            if !requests.isEmpty { try tx.run(Self.deletion(of: requests.map(\.id))) }
            try forgetAnswers(requests, tx)
            return requests.count
        }
    }

    /// Deletes the stored responses that describe deleted requests. A retry of the API call that sent them then creates nothing.
    func forgetAnswers(_ requests: [StoredFriendRequest], _ tx: WriteTransaction) throws {
        var freed: [String: Int64] = [:]
        for request in requests {
            freed[request.sender, default: 0] += try IdempotencyStore.forget(request.resource, of: request.sender, tx)
        }
        // The accounts' usage changes in a fixed order, so that two writes cannot deadlock on it.
        for (sender, byteCount) in freed.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            try library.note(rowBytes: -byteCount, owner: sender, tx)
        }
    }

    // MARK: Statements

    /// How many people's rows one statement locks.
    private static let lockCount = 64

    static func hidden(_ person: String) -> SQL { "SELECT hidden FROM profile WHERE account = \(person)" }

    static func friends(of person: String) -> SQL { "SELECT friend FROM friendship WHERE account = \(person)" }

    static func recipients(of person: String) -> SQL {
        "SELECT recipient FROM friend_request WHERE sender = \(person) AND status = 'PENDING'"
    }

    /// Locks the rows of some people, in the order in which `FriendCounts` changes them.
    static func rows(of people: [String], _ lockingRows: SQL) -> SQL {
        "SELECT account FROM profile WHERE account IN (\(sql: .list(people))) ORDER BY account \(sql: lockingRows)"
    }

    static func shiftFriends(of person: String, by amount: Int) -> SQL {
        """
        UPDATE profile SET friend_count = friend_count + \(amount)
        WHERE account IN (SELECT friend FROM friendship WHERE account = \(person))
        """
    }

    static func shiftRecipients(of person: String, by amount: Int) -> SQL {
        """
        UPDATE profile SET request_count = request_count + \(amount)
        WHERE account IN (SELECT recipient FROM friend_request WHERE sender = \(person) AND status = 'PENDING')
        """
    }

    static func someFriendships(of account: String, limit: Int) -> SQL {
        "SELECT id FROM friendship WHERE account = \(account) ORDER BY created_at, id LIMIT \(limit)"
    }

    static func deletion(ofFriendships ids: [String]) -> SQL { "DELETE FROM friendship WHERE id IN (\(sql: .list(ids)))" }

    static func someRequests(from account: String, limit: Int) -> SQL {
        "\(sql: StoredFriendRequest.table.select) WHERE friend_request.sender = \(account) ORDER BY friend_request.recipient LIMIT \(limit)"
    }

    static func someRequests(to account: String, limit: Int) -> SQL {
        "\(sql: StoredFriendRequest.table.select) WHERE friend_request.recipient = \(account) ORDER BY friend_request.sender LIMIT \(limit)"
    }

    static func deletion(of requests: [String]) -> SQL { "DELETE FROM friend_request WHERE id IN (\(sql: .list(requests)))" }

    static func resolved(before end: Timestamp, limit: Int) -> SQL {
        """
        \(sql: StoredFriendRequest.table.select) WHERE friend_request.resolved_at < \(end)
        ORDER BY friend_request.resolved_at, friend_request.id LIMIT \(limit)
        """
    }
}
