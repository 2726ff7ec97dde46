import Core
import Database
import Jobs
import KeepsakeWire
import Live
import Media

/// All SQL of `friendship` and `friend_request`, and of the counters of both in `profile`.
///
/// A write locks the two people (`PersonLocks`), then reads their rows, decides (`FriendRules`) and changes the rows. So concurrent
/// requests and answers of the two people take effect one after the other.
struct FriendStore: Sendable {
    var database: any Database
    let library: MediaLibrary
    let events: EventLog
    let notices: NoticeStore
    let jobs: JobQueue
    let identifiers: Identifiers

    /// Sends a friend request to each recipient, or to nobody when one of them fails. If a recipient's own request to the sender is
    /// pending, the two people become friends at once.
    /// - Parameter answering: makes the response inside the transaction, so that the response is stored together with the rows. Its
    ///   argument lists the requests in the order of `recipients`.
    /// - Throws: the errors of `FriendRules.sendings` and `FriendRules.requireRoom`.
    func send<Answer: Sendable>(
        to recipients: [FriendRules.Recipient], from sender: String,
        answering: @escaping @Sendable ([StoredFriendRequest], WriteTransaction) throws -> Answer
    ) async throws -> Answer {
        try await database.write { tx in
            try PersonLocks.take([sender] + recipients.map(\.id), tx)
            try notices.lock(sender, tx)
            try PersonStanding.requireOpen(sender, tx)
            let sendings = try FriendRules.sendings(to: recipients, relations(of: sender, with: recipients.map(\.id), tx))
            return try answering(send(sendings, from: sender, tx), tx)
        }
    }

    /// Accepts or rejects a friend request.
    /// - Returns: the resolved request; unchanged when it was resolved in the same way before.
    /// - Throws: `Problem.noSuchFriendRequest`, `.notTheRecipient`; the errors of `FriendRules.resolution` and `FriendRules.requireRoom`.
    func resolve(_ id: String, by person: String, accepting: Bool) async throws -> StoredFriendRequest {
        try await database.write { tx in
            let request = try hold(id, of: person, orElse: .notTheRecipient, tx) { $0.recipient }
            return try resolve(request, FriendRules.resolution(of: request, accepting: accepting), tx)
        }
    }

    /// Withdraws a pending request.
    /// - Throws: `Problem.noSuchFriendRequest`, `.notTheSender`, `.requestResolved`.
    func cancel(_ id: String, by person: String) async throws {
        try await database.write { tx in
            let request = try hold(id, of: person, orElse: .notTheSender, tx) { $0.sender }
            guard request.status == .pending else { throw Problem.requestResolved }
            try delete([request], tx)
        }
    }

    /// Ends a friendship.
    /// - Throws: `Problem.noSuchFriendship`.
    func remove(_ friendship: String, of person: String) async throws {
        try await database.write { tx in
            guard let friend = try friend(friendship, of: person, tx) else { throw Problem.noSuchFriendship }
            try PersonLocks.take([person, friend], tx)
            try PersonStanding.requireOpen(person, tx)
            // Read the friendship again under the lock, because it may have ended meanwhile.
            guard try self.friend(friendship, of: person, tx) == friend,
                try !PersonStanding.visible([friend], to: person, tx).isEmpty
            else { throw Problem.noSuchFriendship }
            try end(friendship, of: [person, friend], tx)
        }
    }

    // MARK: Inside a transaction

    /// Ends the friendship and deletes the friend requests between two people, for a block. The caller has locked both, and neither is
    /// hidden.
    func separate(_ person: String, _ other: String, _ tx: WriteTransaction) throws {
        let relations = try relations(of: person, with: [other], tx)
        if let friendship = try tx.row(Self.friendship(of: person, with: other))?.get("id", as: String.self) {
            try end(friendship, of: [person, other], tx)
        }
        // Ending the friendship has deleted the accepted request too.
        let requests = [relations.sent[other], relations.received[other]].compactMap { $0 }
        try delete(requests.filter { $0.status != .accepted }, tx)
    }

    /// - Parameter others: 1...500 ids.
    func relations(of person: String, with others: [String], _ tx: ReadTransaction) throws -> FriendRules.Relations {
        var relations = FriendRules.Relations()
        relations.visible = try PersonStanding.visible(others, to: person, tx)
        relations.friends = Set(try tx.list(Self.friends(of: person, among: others)) { try $0.next("friend") as String })
        for request in try tx.list(Self.requests(from: person, to: others), StoredFriendRequest.init) {
            relations.sent[request.recipient] = request
        }
        for request in try tx.list(Self.requests(to: person, from: others), StoredFriendRequest.init) {
            relations.received[request.sender] = request
        }
        relations.pendingCount = try tx.row(Self.pendingCount(from: person))?.get("count") ?? 0
        return relations
    }

    /// Stores the requests that `FriendRules.sendings` chose, and notifies the recipients. The caller has locked the sender's notices.
    func send(_ sendings: [FriendRules.Sending], from sender: String, _ tx: WriteTransaction) throws -> [StoredFriendRequest] {
        let now = identifiers.clock.now
        var counts = FriendCounts()
        var requests: [StoredFriendRequest] = []
        for sending in sendings {
            if let replaced = sending.replaced { try tx.run(Self.deletion(of: replaced.id)) }
            var request = StoredFriendRequest(
                id: identifiers.next(), sender: sender, recipient: sending.recipient, createdAt: now)
            if let crossed = sending.crossed {
                request.status = .accepted
                request.resolvedAt = now
                request.friendship = try befriend(crossed, at: now, &counts, tx).friendship
            } else {
                counts.add(requests: 1, to: sending.recipient)
            }
            try tx.run(StoredFriendRequest.table.insert(request))
            requests.append(request)
        }
        try counts.apply(at: now, tx)
        try forgetAnswers(sendings.compactMap(\.replaced), tx)
        try notify(requests.filter { $0.status == .pending }, tx)
        return requests
    }

    /// - Returns: the request as it is afterwards.
    func resolve(
        _ request: StoredFriendRequest, _ resolution: FriendRules.Resolution, _ tx: WriteTransaction
    ) throws -> StoredFriendRequest {
        let now = identifiers.clock.now
        var counts = FriendCounts()
        var request = request
        switch resolution {
        case .again: return request
        case .accept: request = try befriend(request, at: now, &counts, tx)
        case .reject:
            request.status = .rejected
            request.resolvedAt = now
            try tx.run(Self.resolution(request))
            counts.add(requests: -1, to: request.recipient)
        }
        try counts.apply(at: now, tx)
        return request
    }

    /// Accepts a pending request: makes the two people friends, and notifies both.
    private func befriend(
        _ request: StoredFriendRequest, at now: Timestamp, _ counts: inout FriendCounts, _ tx: WriteTransaction
    ) throws -> StoredFriendRequest {
        try FriendRules.requireRoom(
            own: friendCount(of: request.recipient, tx), other: friendCount(of: request.sender, tx))
        var request = request
        let friendship = identifiers.next()
        request.status = .accepted
        request.resolvedAt = now
        request.friendship = friendship
        try tx.run(Self.insertFriendship(friendship, request.sender, request.recipient, at: now))
        try tx.run(Self.resolution(request))
        counts.add(friends: 1, to: request.sender)
        counts.add(friends: 1, requests: -1, to: request.recipient)
        try events.emit(
            .friendAccepted, FriendAcceptedEvent(friendshipId: friendship), to: [request.sender, request.recipient], tx)
        return request
    }

    private func friendCount(of person: String, _ tx: ReadTransaction) throws -> Int {
        try tx.row(Self.friendCount(of: person))?.get("count") ?? 0
    }

    /// Ends a friendship between two people who are not hidden, and deletes the requests that led to it.
    private func end(_ friendship: String, of pair: [String], _ tx: WriteTransaction) throws {
        try tx.run(Self.deletion(ofFriendship: friendship))
        var counts = FriendCounts()
        for person in pair { counts.add(friends: -1, to: person) }
        try counts.apply(at: identifiers.clock.now, tx)
        let requests =
            try tx.list(Self.requests(from: pair[0], to: [pair[1]]), StoredFriendRequest.init)
            + tx.list(Self.requests(from: pair[1], to: [pair[0]]), StoredFriendRequest.init)
        try delete(requests.filter { $0.friendship == friendship }, tx)
    }

    /// Deletes requests between people who are not hidden.
    private func delete(_ requests: [StoredFriendRequest], _ tx: WriteTransaction) throws {
        var counts = FriendCounts()
        for request in requests {
            try tx.run(Self.deletion(of: request.id))
            if request.status == .pending { counts.add(requests: -1, to: request.recipient) }
        }
        try counts.apply(at: identifiers.clock.now, tx)
        try forgetAnswers(requests, tx)
    }

    /// Locks the two people of a request.
    /// - Parameters:
    ///   - role: returns which of the two people may change the request.
    ///   - problem: the error when `person` is the other one.
    /// - Throws: `problem`; `Problem.noSuchFriendRequest`, also when the caller may not see the other person.
    private func hold(
        _ id: String, of person: String, orElse problem: Problem, _ tx: WriteTransaction,
        _ role: (StoredFriendRequest) -> String
    ) throws -> StoredFriendRequest {
        guard let seen = try tx.first(Self.request(id), StoredFriendRequest.init) else { throw Problem.noSuchFriendRequest }
        guard role(seen) == person else { throw problem }
        try PersonLocks.take([seen.sender, seen.recipient], tx)
        try PersonStanding.requireOpen(person, tx)
        // Read again under the lock, because the request may have changed meanwhile.
        guard let request = try tx.first(Self.request(id), StoredFriendRequest.init),
            try !PersonStanding.visible([request.partner(of: person)], to: person, tx).isEmpty
        else { throw Problem.noSuchFriendRequest }
        return request
    }

    private func friend(_ friendship: String, of person: String, _ tx: ReadTransaction) throws -> String? {
        try tx.row(Self.friend(friendship, of: person))?.get("friend")
    }
}
