import Core
import Database
import Jobs
import Live

/// Notifies recipients of friend requests, when one call sent more requests than its write should announce itself.
struct NotifyRecipients: Job {
    static let kind = "people/tell-requested"
    static let policy = JobPolicy(attempts: 10, longestBackoff: .minutes(10), timeout: .minutes(1))

    /// The ids of at most `FriendRules.directNotificationCount` requests of one sender.
    let requests: [String]
}

extension FriendStore {
    /// Notifies up to 50 recipients in this write and leaves the others to jobs: a write locks the event log of everyone whom it notifies.
    func notify(_ requests: [StoredFriendRequest], _ tx: WriteTransaction) throws {
        guard let sender = requests.first?.sender else { return }
        try notify(requests.prefix(FriendRules.directNotificationCount).map { ($0.id, $0.recipient) }, from: sender, tx)
        var rest = requests.dropFirst(FriendRules.directNotificationCount)
        while !rest.isEmpty {
            let some = rest.prefix(FriendRules.directNotificationCount).map(\.id)
            try jobs.enqueue(NotifyRecipients(requests: some), owner: sender, tx)
            rest = rest.dropFirst(some.count)
        }
    }

    /// Runs the job. It notifies and ends in one transaction, so that everybody is notified once.
    func notify(_ run: JobRun<NotifyRecipients>) async throws {
        try await run.complete { tx in
            // A request that was answered or cancelled meanwhile needs no notification any more.
            let waiting = try tx.list(Self.waiting(run.payload.requests)) { row in
                let (id, sender): (String, String) = (try row.next("id"), try row.next("sender"))
                return (id: id, sender: sender, recipient: try row.next("recipient") as String)
            }
            guard let sender = waiting.first?.sender else { return }
            try notices.lock(sender, tx)
            try notify(waiting.map { ($0.id, $0.recipient) }, from: sender, tx)
        }
    }

    private func notify(_ requests: [(id: String, recipient: String)], from sender: String, _ tx: WriteTransaction) throws {
        let notified = requests.map { (payload: FriendRequestedEvent(requestId: $0.id), account: $0.recipient) }
        try notices.notify(.friendRequested, notified, from: sender, tx)
    }

    /// The requests that are pending and whose sender is not hidden.
    static func waiting(_ requests: [String]) -> SQL {
        """
        SELECT friend_request.id, friend_request.sender, friend_request.recipient FROM friend_request
        LEFT JOIN profile ON profile.account = friend_request.sender
        WHERE friend_request.id IN (\(sql: .list(requests))) AND friend_request.status = 'PENDING'\(sql: PersonSQL.isNotHidden)
        """
    }
}
