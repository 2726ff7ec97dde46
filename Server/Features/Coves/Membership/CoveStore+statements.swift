import Core
import Database
import KeepsakeWire
import People

/// The statements are separate functions, so that tests can check their query plans.
extension CoveStore {
    static func createdCount(of account: String) -> SQL {
        "SELECT COUNT(*) AS count FROM cove WHERE creator = \(account) AND ended_at IS NULL"
    }

    /// Also counts coves that have ended, and coves that the account has left. Counts no further than the limit.
    static func createdKeptCount(of account: String) -> SQL {
        "SELECT COUNT(*) AS count FROM (SELECT id FROM cove WHERE creator = \(account) LIMIT \(CoveRules.maxKept)) AS kept"
    }

    static func update(_ cove: Cove) -> SQL {
        """
        UPDATE cove SET name = \(cove.name), description = \(cove.description), location = \(cove.location), cover = \(cove.cover),
            cover_owner = \(cove.coverOwner), joining = \(cove.joining.rawValue), row_bytes = \(cove.rowBytes)
        WHERE id = \(cove.id)
        """
    }

    static func rowBytes(of cove: String) -> SQL { "SELECT row_bytes FROM cove WHERE id = \(cove)" }

    static func end(_ cove: String, at now: Timestamp) -> SQL {
        "UPDATE cove SET ended_at = \(now), cover = NULL, cover_owner = NULL WHERE id = \(cove) AND ended_at IS NULL"
    }

    /// When a file is deleted from the library, a cove drops its reference to it.
    static func dropCover(_ file: String, of owner: String) -> SQL {
        "UPDATE cove SET cover = NULL, cover_owner = NULL WHERE cover = \(file) AND cover_owner = \(owner)"
    }

    static func creator(_ creator: String, seenBy viewer: String) -> SQL {
        """
        SELECT \(sql: PersonSQL.columns),
            CASE WHEN account.id IS NOT NULL\(sql: PersonSQL.isNotBlocked("account.id", by: viewer)) THEN 1 ELSE 0 END AS is_shown
        FROM account\(sql: PersonSQL.join("account.id")) WHERE account.id = \(creator)
        """
    }

    /// The column `cover` as people see it: NULL while the account that uploaded the picture is suspended.
    static let shownCover: SQL = """
        CASE WHEN (SELECT uploader.hidden FROM profile AS uploader WHERE uploader.account = cove.cover_owner) = 1 THEN NULL
            ELSE cove.cover END AS cover
        """

    static func coves(of account: String) -> SQL {
        """
        SELECT cove.id, cove.name, \(sql: shownCover), cove.cover_owner FROM cove_member JOIN cove ON cove.id = cove_member.cove
        WHERE cove_member.account = \(account) AND cove.ended_at IS NULL
        ORDER BY cove_member.joined_at, cove_member.cove
        """
    }
}
