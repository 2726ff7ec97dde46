import Core
package import Database
package import Live

/// Notifies people of friend requests and invitations by live events, which a sender can cause without the person's doing. All SQL of the
/// table `sent_notice`.
///
/// A sender can withdraw a request and send it again all the time. Each event takes a place in the log of the person, whose devices load
/// everything again when they have missed too many. So a sender's events to one person, and to all people, are limited for each UTC day.
/// Beyond that the request or invitation is made as usual and is in the person's list, but no event tells of it. The sender does not notice
/// the difference.
package struct NoticeStore: Sendable {
    let database: any Database
    let events: EventLog
    let clock: WallClock

    /// Lets one write at a time notify people in the sender's name. Call it before the write changes the usage of accounts, which other
    /// such writes lock afterwards: otherwise two of them could deadlock.
    package func lock(_ sender: String, _ tx: WriteTransaction) throws { try tx.lock("notices of " + sender) }

    /// Emits each event to its account, as far as the sender's limits allow. Call `lock` before.
    /// - Parameter notices: in this order, so beyond the limits the last ones are dropped.
    /// - Throws: `LiveError.payloadTooLarge`, or the encoder's error.
    package func notify<Payload: Encodable>(
        _ kind: Event.Kind, _ notices: [(payload: Payload, account: String)], from sender: String, _ tx: WriteTransaction
    ) throws {
        guard !notices.isEmpty else { return }
        let day = ContactRules.day(of: clock.now)
        let known = try tx.row(Self.known(sender, day: day)).map { NotifiedPeople(bytes: try $0.get("told")) }
        var notified = known ?? NotifiedPeople(bytes: [])
        var allowed: [(payload: Payload, account: String)] = []
        for notice in notices where notified.add(notice.account) { allowed.append(notice) }
        guard !allowed.isEmpty else { return }
        try tx.run(Self.keep(notified.bytes, of: sender, day: day))
        try events.emit(kind, all: allowed, tx)
    }

    /// Deletes what was kept for earlier days, 100 rows at a time.
    func sweep() async throws {
        let today = ContactRules.day(of: clock.now)
        while try await database.write({ tx in try tx.run(Self.deletion(before: today)) }) == Self.sweepCount {}
    }

    // MARK: Statements

    /// A row may hold 16 KB.
    private static let sweepCount = 100

    static func known(_ account: String, day: Int64) -> SQL {
        "SELECT told FROM sent_notice WHERE account = \(account) AND day = \(day)"
    }

    static func keep(_ notified: [UInt8], of account: String, day: Int64) -> SQL {
        """
        INSERT INTO sent_notice (account, day, told) VALUES (\(account), \(day), \(notified))
        ON CONFLICT (account) DO UPDATE SET day = excluded.day, told = excluded.told
        """
    }

    /// The second condition on the day: an account may notify somebody again between the inner SELECT and the deletion.
    static func deletion(before today: Int64) -> SQL {
        """
        DELETE FROM sent_notice WHERE day < \(today) AND account IN (
            SELECT account FROM sent_notice WHERE day < \(today) ORDER BY day, account LIMIT \(sweepCount))
        """
    }
}
