package import Database

/// Parts of SQL statements that list people. They select only people whom the viewer may see, and read the name and the picture that other
/// users see.
///
///     "SELECT m.id, \(sql: PersonSQL.columns) FROM member m\(sql: PersonSQL.join("m.account"))
///      WHERE m.cove = \(cove)\(sql: PersonSQL.isVisible("m.account", to: viewer))"
///
/// Each row of the statement is one person. Read the columns with `PersonCard.init`.
package enum PersonSQL {
    /// The columns that `PersonCard` reads.
    package static let columns: SQL = "profile.name, profile.hidden, profile_picture.media"

    /// - Parameter account: the column that holds the person's account, with its table's name. It may be NULL.
    package static func join(_ account: StaticString) -> SQL {
        let account = SQL(stringLiteral: account)
        return """
             LEFT JOIN profile ON profile.account = \(sql: account)
            LEFT JOIN profile_picture ON profile_picture.account = \(sql: account)
            """
    }

    /// A condition that begins with ` AND `: the person's account is neither closed nor suspended, and neither of the two has blocked the
    /// other. Needs `join`.
    package static func isVisible(_ account: StaticString, to viewer: String) -> SQL {
        isNotHidden + isNotBlocked(account, by: viewer)
    }

    /// A condition that begins with ` AND `: the person's account is neither closed nor suspended. Needs the table `profile`. It does not
    /// use `=`: PostgreSQL would then expect few rows, and sort a whole list instead of reading one page of it by its index.
    package static let isNotHidden: SQL = " AND profile.hidden IS DISTINCT FROM 1"

    /// A condition that begins with ` AND `: neither of the two has blocked the other.
    package static func isNotBlocked(_ account: StaticString, by viewer: String) -> SQL {
        let account = SQL(stringLiteral: account)
        return """
             AND NOT EXISTS (SELECT 1 FROM block WHERE blocker = \(viewer) AND blocked = \(sql: account))
            AND NOT EXISTS (SELECT 1 FROM block WHERE blocker = \(sql: account) AND blocked = \(viewer))
            """
    }
}
