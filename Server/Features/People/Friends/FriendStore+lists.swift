import Core
import Database

/// A row of a list: a person, and the friendship or request between the viewer and that person.
struct FriendRow: Sendable, Equatable {
    let person: PersonCard
    /// The friendship's or the request's id.
    let id: String
    let at: Timestamp
}

extension FriendStore {
    /// A list of people who are the viewer's friends or may become friends. The newest row comes first.
    enum List: String, Sendable, CaseIterable {
        case friends
        /// Pending requests that the viewer received.
        case requests = "friend-requests"
        /// Pending requests that the viewer sent.
        case sent = "sent-friend-requests"
    }

    func page(_ list: List, of viewer: String, _ request: PageRequest<TimeKey>) async throws -> Page<FriendRow, TimeKey> {
        let rows = try await database.list(Self.page(list, of: viewer, after: request.after, limit: request.rowLimit)) { row in
            let (person, id): (String, String) = (try row.next("person"), try row.next("id"))
            let at: Timestamp = try row.next("created_at")
            return FriendRow(person: try PersonCard(&row, id: person), id: id, at: at)
        }
        return Page(rows, limit: request.limit) { TimeKey(at: $0.at, id: $0.id) }
    }

    /// - Returns: the sort key of the row with this id; `nil` when the list shows the viewer no such row.
    func key(of id: String, _ list: List, of viewer: String) async throws -> TimeKey? {
        try await database.list(Self.key(of: id, list, of: viewer)) { row in
            TimeKey(at: try row.next("created_at"), id: id)
        }.first
    }

    // MARK: Statements

    static func page(_ list: List, of viewer: String, after key: TimeKey?, limit: Int) -> SQL {
        switch list {
        case .friends:
            """
            SELECT friendship.friend AS person, friendship.id, friendship.created_at,
                \(sql: PersonSQL.columns)\(sql: rows(list, of: viewer))
            """ + newestFriends.page(after: key?.sql, limit: limit)
        case .requests:
            """
            SELECT friend_request.sender AS person, friend_request.id, friend_request.created_at,
                \(sql: PersonSQL.columns)\(sql: rows(list, of: viewer))
            """ + newestRequests.page(after: key?.sql, limit: limit)
        case .sent:
            """
            SELECT friend_request.recipient AS person, friend_request.id, friend_request.created_at,
                \(sql: PersonSQL.columns)\(sql: rows(list, of: viewer))
            """ + newestRequests.page(after: key?.sql, limit: limit)
        }
    }

    static func key(of id: String, _ list: List, of viewer: String) -> SQL {
        switch list {
        case .friends: "SELECT friendship.created_at\(sql: rows(list, of: viewer)) AND friendship.id = \(id)"
        case .requests, .sent: "SELECT friend_request.created_at\(sql: rows(list, of: viewer)) AND friend_request.id = \(id)"
        }
    }

    private static let newestFriends = Keyset(.descending, "friendship.created_at", "friendship.id")
    private static let newestRequests = Keyset(.descending, "friend_request.created_at", "friend_request.id")

    /// The FROM and WHERE clauses for the rows that the viewer may see.
    private static func rows(_ list: List, of viewer: String) -> SQL {
        switch list {
        case .friends:
            """
             FROM friendship\(sql: PersonSQL.join("friendship.friend"))
            WHERE friendship.account = \(viewer)\(sql: PersonSQL.isVisible("friendship.friend", to: viewer))
            """
        // The indexes are partial: an engine uses them only if the statement repeats their condition literally.
        case .requests:
            """
             FROM friend_request\(sql: PersonSQL.join("friend_request.sender"))
            WHERE friend_request.recipient = \(viewer) AND friend_request.status = 'PENDING'\
            \(sql: PersonSQL.isVisible("friend_request.sender", to: viewer))
            """
        case .sent:
            """
             FROM friend_request\(sql: PersonSQL.join("friend_request.recipient"))
            WHERE friend_request.sender = \(viewer) AND friend_request.status = 'PENDING'\
            \(sql: PersonSQL.isVisible("friend_request.recipient", to: viewer))
            """
        }
    }
}
