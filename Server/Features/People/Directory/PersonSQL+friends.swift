package import Database

extension PersonSQL {
    /// A condition that begins with ` AND `: the person is not a friend of the viewer, and neither has a pending friend request from the
    /// other.
    /// - Parameter account: the column that holds the person's account, with its table's name.
    package static func isNoFriend(_ account: StaticString, of viewer: String) -> SQL {
        let account = SQL(stringLiteral: account)
        return """
             AND NOT EXISTS (SELECT 1 FROM friendship WHERE account = \(viewer) AND friend = \(sql: account))
            AND NOT EXISTS (
                SELECT 1 FROM friend_request WHERE sender = \(viewer) AND recipient = \(sql: account) AND status = 'PENDING')
            AND NOT EXISTS (
                SELECT 1 FROM friend_request WHERE sender = \(sql: account) AND recipient = \(viewer) AND status = 'PENDING')
            """
    }
}
