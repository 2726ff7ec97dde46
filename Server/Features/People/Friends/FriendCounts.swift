import Core
import Database

/// Changes to the counters of friends and requests in `profile`. A write collects them here and applies them together.
struct FriendCounts: Sendable {
    struct Change: Sendable, Equatable {
        var friends = 0
        var requests = 0
    }

    private var changes: [String: Change] = [:]

    mutating func add(friends: Int = 0, requests: Int = 0, to account: String) {
        changes[account, default: Change()].friends += friends
        changes[account, default: Change()].requests += requests
    }

    /// Changes the rows in a fixed order, so that two writes cannot deadlock on them.
    func apply(at now: Timestamp, _ tx: WriteTransaction) throws {
        for (account, change) in changes.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
        where change != Change() {
            guard try tx.run(Self.update(account, change)) == 0 else { continue }
            // An account without a row has neither friends nor requests, so the inserted numbers are not negative.
            try tx.run(Self.insert(account, change, at: now))
        }
    }

    // MARK: Statements

    static func update(_ account: String, _ change: Change) -> SQL {
        """
        UPDATE profile SET friend_count = friend_count + \(change.friends), request_count = request_count + \(change.requests)
        WHERE account = \(account)
        """
    }

    /// Inserts a row, or changes it if there is one: the account may be onboarding at this moment, which inserts the row too.
    static func insert(_ account: String, _ change: Change, at now: Timestamp) -> SQL {
        """
        INSERT INTO profile (account, created_at, friend_count, request_count)
        VALUES (\(account), \(now), \(change.friends), \(change.requests))
        ON CONFLICT (account) DO UPDATE SET friend_count = profile.friend_count + excluded.friend_count,
            request_count = profile.request_count + excluded.request_count
        """
    }
}
