import Database

/// The SQL conditions that decide what a viewer sees of a person. A statement that uses them reads `account`, `profile`, and the row of
/// `friendship` for the viewer and the person.
///
/// | viewer | sees |
/// |---|---|
/// | the person | everything |
/// | a friend | everything but the exact position |
/// | a member of a common cove | what strangers see, and bio, interests, alma mater and job |
/// | a stranger | name and pictures |
/// | a person whom the other has blocked, or who has blocked the other | nothing |
struct ProfileVisibility: Sendable {
    /// The condition for values that only the person sees.
    let toSelf: SQL
    /// The condition for values that friends see, too.
    let toFriends: SQL
    /// The condition for values that members of a common cove see, too.
    let toCoveMembers: SQL
    /// The condition under which the viewer sees anything. It begins with ` AND `.
    let isShown: SQL

    /// - Parameter hasCommonCove: whether the viewer and the person are members of one cove.
    init(of person: String, to viewer: String, hasCommonCove: Bool) {
        toSelf = "account.id = \(viewer)"
        toFriends = "(account.id = \(viewer) OR friendship.friend IS NOT NULL)"
        toCoveMembers = "(account.id = \(viewer) OR friendship.friend IS NOT NULL OR \(hasCommonCove) = 1)"
        isShown = " AND account.closed_at IS NULL" + PersonSQL.isVisible("account.id", to: viewer)
    }

    /// For tests: they remove a condition and check that the result is then wrong.
    init(toSelf: SQL, toFriends: SQL, toCoveMembers: SQL, isShown: SQL) {
        self.toSelf = toSelf
        self.toFriends = toFriends
        self.toCoveMembers = toCoveMembers
        self.isShown = isShown
    }
}
