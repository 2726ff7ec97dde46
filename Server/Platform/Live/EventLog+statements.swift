package import Core
package import Database

/// The statements on their own, so that a test can check their query plans.
extension EventLog {
    /// Takes the next `count` numbers of the account's log. Its head, the row in `event_head`, then contains the last of them. A concurrent
    /// write to the same account waits here until this write has ended. So numbers follow the order of commits, and a rolled-back write
    /// leaves no gap.
    static func takeNumbers(_ count: Int, _ account: String, now: Timestamp) -> SQL {
        """
        INSERT INTO event_head (account, seq, at) VALUES (\(account), \(count), \(now))
        ON CONFLICT (account) DO UPDATE SET
            seq = event_head.seq + excluded.seq,
            at = CASE WHEN event_head.at > excluded.at THEN event_head.at ELSE excluded.at END
        """
    }

    /// Inserts events with the numbers that the same transaction has taken for them. SQLite reads the tables of a CROSS JOIN in the order
    /// in which the statement names them.
    /// - Parameter events: at least one; `before` is how many later events the write emits to the same account.
    static func insert(_ events: some Collection<(account: String, before: Int, kind: Event.Kind, payload: String)>) -> SQL {
        var values: SQL = ""
        for (index, event) in events.enumerated() {
            if index > 0 { values = values + ", " }
            values = values + "(\(event.account), \(event.before), \(event.kind.name), \(event.payload))"
        }
        return """
            INSERT INTO event (account, seq, at, kind, payload)
            SELECT event_head.account, event_head.seq - emitted.column2, event_head.at, emitted.column3, emitted.column4
            FROM (VALUES \(sql: values)) AS emitted CROSS JOIN event_head WHERE event_head.account = emitted.column1
            """
    }

    static func raise(_ account: String, _ now: Timestamp) -> SQL {
        """
        INSERT INTO event_head (account, seq, at) VALUES (\(account), \(now.microseconds), \(now))
        ON CONFLICT (account) DO UPDATE SET
            seq = CASE WHEN event_head.seq < excluded.seq THEN excluded.seq ELSE event_head.seq + 1 END,
            at = CASE WHEN event_head.at > excluded.at THEN event_head.at ELSE excluded.at END
        """
    }

    package static func headOf(_ account: String) -> SQL { "SELECT seq FROM event_head WHERE account = \(account)" }

    /// - Parameter accounts: at least one.
    package static func headsOf(_ accounts: [String]) -> SQL {
        "SELECT account, seq FROM event_head WHERE account IN (\(sql: .list(accounts)))"
    }

    package static func page(_ account: String, after last: Int64, count: Int) -> SQL {
        "\(sql: Event.table.select) WHERE account = \(account)" + bySequence.page(after: "\(last)", limit: count)
    }

    private static let bySequence = Keyset(.ascending, "seq")

    package static func oldestOf(_ account: String) -> SQL { "SELECT seq FROM event WHERE account = \(account) ORDER BY seq LIMIT 1" }

    /// The oldest events of all accounts, starting after `last`.
    package static func expired(before limit: Timestamp, after last: (at: Timestamp, account: String, seq: Int64), count: Int) -> SQL {
        "SELECT at, account, seq FROM event WHERE at < \(limit)"
            + oldest.page(after: "\(last.at), \(last.account), \(last.seq)", limit: count)
    }

    private static let oldest = Keyset(.ascending, "at", "account", "seq")

    /// Accounts in order, starting after `last`, that have ever had more than `kept` events, with the number of their oldest event.
    package static func long(after last: String, kept: Int, count: Int) -> SQL {
        """
        SELECT account, seq, (SELECT event.seq FROM event WHERE event.account = event_head.account ORDER BY event.seq LIMIT 1) AS oldest
        FROM event_head WHERE seq > \(kept)
        """ + byAccount.page(after: "\(last)", limit: count)
    }

    private static let byAccount = Keyset(.ascending, "account")

    package static func prune(_ account: String, through seq: Int64) -> SQL {
        "DELETE FROM event WHERE account = \(account) AND seq <= \(seq)"
    }

    package static func eraseHead(_ account: String) -> SQL { "DELETE FROM event_head WHERE account = \(account)" }
    package static func eraseEvents(_ account: String) -> SQL { "DELETE FROM event WHERE account = \(account)" }
}
