import Core
import Database
import KeepsakeWire

/// The store's SQL statements, each in a function, so that a test can check their query plans.
extension FriendStore {
    // MARK: Friendships

    static func insertFriendship(_ id: String, _ one: String, _ other: String, at now: Timestamp) -> SQL {
        """
        INSERT INTO friendship (id, account, friend, created_at)
        VALUES (\(id), \(one), \(other), \(now)), (\(id), \(other), \(one), \(now))
        """
    }

    static func friendship(of person: String, with other: String) -> SQL {
        "SELECT id FROM friendship WHERE account = \(person) AND friend = \(other)"
    }

    static func friend(_ friendship: String, of person: String) -> SQL {
        "SELECT friend FROM friendship WHERE id = \(friendship) AND account = \(person)"
    }

    /// - Parameter others: at least one.
    static func friends(of person: String, among others: [String]) -> SQL {
        "SELECT friend FROM friendship WHERE account = \(person) AND friend IN (\(sql: .list(others)))"
    }

    /// The count is at most `FriendRules.maxFriends`.
    static func friendCount(of person: String) -> SQL { "SELECT COUNT(*) AS count FROM friendship WHERE account = \(person)" }

    /// Deletes both rows of the friendship.
    static func deletion(ofFriendship id: String) -> SQL { "DELETE FROM friendship WHERE id = \(id)" }

    // MARK: Requests

    static func request(_ id: String) -> SQL { "\(sql: StoredFriendRequest.table.select) WHERE friend_request.id = \(id)" }

    /// - Parameter recipients: at least one.
    static func requests(from sender: String, to recipients: [String]) -> SQL {
        """
        \(sql: StoredFriendRequest.table.select)
        WHERE friend_request.sender = \(sender) AND friend_request.recipient IN (\(sql: .list(recipients)))
        """
    }

    /// - Parameter senders: at least one.
    static func requests(to recipient: String, from senders: [String]) -> SQL {
        """
        \(sql: StoredFriendRequest.table.select)
        WHERE friend_request.recipient = \(recipient) AND friend_request.sender IN (\(sql: .list(senders)))
        """
    }

    /// The count is at most `FriendRules.maxPending`.
    static func pendingCount(from sender: String) -> SQL {
        "SELECT COUNT(*) AS count FROM friend_request WHERE sender = \(sender) AND status = 'PENDING'"
    }

    static func resolution(_ request: StoredFriendRequest) -> SQL {
        """
        UPDATE friend_request SET status = \(request.status.rawValue), resolved_at = \(request.resolvedAt),
            friendship = \(request.friendship)
        WHERE id = \(request.id) AND status = 'PENDING'
        """
    }

    static func deletion(of request: String) -> SQL { "DELETE FROM friend_request WHERE id = \(request)" }
}
