import Core
import Database
import Jobs
import Live

/// Tells the recipients of friend requests, when one call sent more of them than its own write should tell.
struct TellRequested: Job {
    static let kind = "people/tell-requested"
    static let policy = JobPolicy(attempts: 10, longestBackoff: .minutes(10), timeout: .minutes(1))

    /// Ids of at most `FriendRules.toldAtOnce` requests.
    let requests: [String]
}

extension FriendStore {
    /// Tells up to 50 recipients in this write and leaves the others to jobs, because the write locks the event log of each.
    func tell(_ requests: [StoredFriendRequest], _ tx: WriteTransaction) throws {
        for request in requests.prefix(FriendRules.toldAtOnce) { try tell(request.id, request.recipient, tx) }
        var rest = requests.dropFirst(FriendRules.toldAtOnce)
        while let first = rest.first {
            let some = rest.prefix(FriendRules.toldAtOnce).map(\.id)
            try jobs.enqueue(TellRequested(requests: some), owner: first.sender, tx)
            rest = rest.dropFirst(some.count)
        }
    }

    /// The job. It notifies and ends in one transaction, so that everybody is notified once.
    func tell(_ run: JobRun<TellRequested>) async throws {
        try await run.complete { tx in
            // A request that was answered or cancelled meanwhile needs no notification any more.
            let waiting = try tx.list(Self.waiting(run.payload.requests)) { row in
                (try row.next("id") as String, try row.next("recipient") as String)
            }
            for (id, recipient) in waiting { try tell(id, recipient, tx) }
        }
    }

    private func tell(_ request: String, _ recipient: String, _ tx: WriteTransaction) throws {
        try events.emit(.friendRequested, FriendRequestedEvent(requestId: request), to: recipient, tx)
    }

    /// Those of the requests that are pending, of senders who are not hidden.
    static func waiting(_ requests: [String]) -> SQL {
        """
        SELECT friend_request.id, friend_request.recipient FROM friend_request
        LEFT JOIN profile ON profile.account = friend_request.sender
        WHERE friend_request.id IN (\(sql: .list(requests))) AND friend_request.status = 'PENDING'\(sql: PersonSQL.isNotHidden)
        """
    }
}
