import Core
package import Database
package import Live

/// Notifies people of friend requests and invitations by live events, and limits how many events a sender can cause.
///
/// A sender can withdraw a request and send it again, as often as they like, and the recipient cannot prevent that. Each event is an entry
/// in the recipient's event log, and a device that has missed too many events must load everything again. So there are two daily limits (in
/// UTC) for a sender's events: one for each recipient, and one for all recipients together. Beyond the limits, the request or invitation is
/// stored as usual and appears in the recipient's list, but no event announces it. The sender does not notice the difference.
package struct NoticeStore: Sendable {
    let database: any Database
    let events: EventLog
    let clock: WallClock

    /// The people whom each account notified.
    static let sent = DailyHashes(table: "sent_notice", column: "told")

    /// Takes the lock for notifying people in the sender's name. Call it before the write changes any account's usage: all writes that do
    /// both take the locks in this order, so that they cannot deadlock.
    package func lock(_ sender: String, _ tx: WriteTransaction) throws { try tx.lock("notices of " + sender) }

    /// Emits each event to its account, as far as the sender's limits allow. Call `lock` before.
    /// - Parameter notices: the events in order; when they exceed the limits, the last ones are dropped.
    /// - Throws: `LiveError.payloadTooLarge`, or the encoder's error.
    package func notify<Payload: Encodable>(
        _ kind: Event.Kind, _ notices: [(payload: Payload, account: String)], from sender: String, _ tx: WriteTransaction
    ) throws {
        guard !notices.isEmpty else { return }
        let day = clock.now.daysSince1970
        let known = try tx.row(Self.sent.known(sender, day: day)).map { NotifiedPeople(bytes: try $0.get("told")) }
        var notified = known ?? NotifiedPeople(bytes: [])
        var allowed: [(payload: Payload, account: String)] = []
        for notice in notices where notified.add(notice.account) { allowed.append(notice) }
        guard !allowed.isEmpty else { return }
        try tx.run(Self.sent.keep(notified.bytes, of: sender, day: day))
        try events.emit(kind, all: allowed, tx)
    }

    /// Deletes the rows of earlier days.
    func sweep() async throws { try await Self.sent.sweep(database, before: clock.now.daysSince1970) }
}
