import Core
package import Database
import Web

/// Checks in a write whether the caller may act on other people. Lists do not use it; they check that in their own statements (see
/// `PersonSQL`).
package enum PersonStanding {
    /// - Parameter people: 1...500 ids, which need not exist.
    /// - Returns: the ids of the people whom the viewer may see: the account is neither closed nor suspended, and neither of the two has
    ///   blocked the other.
    package static func visible(_ people: [String], to viewer: String, _ tx: ReadTransaction) throws -> Set<String> {
        Set(try tx.list(visible(people, to: viewer)) { try $0.next("id") as String })
    }

    /// Whether the account exists and is neither closed nor suspended.
    package static func isOpen(_ person: String, _ tx: ReadTransaction) throws -> Bool { try tx.row(open(person)) != nil }

    /// Call it in a write that changes counters of people. The caller's account may have been closed or suspended after its credential was
    /// checked; the write would then make the counters wrong.
    /// - Throws: `Problem.accountGone` when the account was closed or suspended.
    package static func requireOpen(_ viewer: String, _ tx: ReadTransaction) throws {
        guard try isOpen(viewer, tx) else { throw Problem.accountGone }
    }

    // MARK: Statements

    static func visible(_ people: [String], to viewer: String) -> SQL {
        "\(sql: accounts) WHERE account.id IN (\(sql: .list(people))) AND account.closed_at IS NULL"
            + PersonSQL.isVisible("account.id", to: viewer)
    }

    static func open(_ person: String) -> SQL {
        "\(sql: accounts) WHERE account.id = \(person) AND account.closed_at IS NULL" + PersonSQL.isNotHidden
    }

    private static let accounts: SQL = "SELECT account.id FROM account LEFT JOIN profile ON profile.account = account.id"
}
