import Core
import Database
import KeepsakeWire
import TestKit

@testable import FeatureTestKit
@testable import People
@testable import keepsake

/// For each of many pairs of people, races eight requests, crossing requests, answers and cancellations, and then checks what is left.
struct FriendCampaign: Sendable {
    /// How a racer decides and writes.
    enum Way: Sendable {
        /// Calls the store as the handlers do.
        case asServed
        /// Control: reads and decides in one transaction, and writes in another, after all racers of the pair have read. So no lock
        /// protects the pair in between.
        case twoTransactions
    }

    private enum Action: Sendable {
        /// The first person of the pair sends a request to the second, or the second to the first.
        case send, sendBack
        /// The second person accepts or rejects the first one's request.
        case accept, reject
        /// The first person cancels the request.
        case cancel
    }

    private enum Outcome: Sendable {
        case sent(StoredFriendRequest)
        case resolved(StoredFriendRequest)
        case cancelled
        /// A rule refused the action.
        case refused
        /// The database reported an error.
        case failed(String)
    }

    private struct Pair: Sendable {
        let one: String
        let other: String
        let actions: [Action]
        let hasRequest: Bool
    }

    struct Report: Sendable {
        /// Pairs with more than one outcome, and why.
        var faults: [String] = []
        var pending = 0
        var friends = 0
        /// Accounts whose counters differ from their rows.
        var wrongCounters = 0
        /// How many events are missing or too many.
        var wrongEvents = 0

        var line: String {
            "\(friends) pairs became friends, \(pending) requests were left, \(faults.count) pairs with more than one outcome, "
                + "\(wrongCounters) wrong counters, \(wrongEvents) wrong events"
        }
    }

    let store: FriendStore
    var way = Way.asServed

    init(_ server: TestServer) { store = server.backend.features[PeopleFeature.self].friends.store }

    /// - Parameter store: the feature's store, with another database.
    init(_ store: FriendStore) { self.store = store }

    /// - Parameter accounts: two for each pair.
    func run(_ accounts: [String], progress: (Int) -> Void = { _ in }) async throws -> Report {
        var report = Report()
        var requested = 0
        let pairs = stride(from: 0, to: accounts.count, by: 2).map { index in
            Self.pair(accounts[index], accounts[index + 1], number: index / 2)
        }
        // Several pairs race at once, so that the database has other work while the racers of one pair wait for each other.
        for start in stride(from: 0, to: pairs.count, by: Self.pairsAtOnce) {
            let some = pairs[start..<min(start + Self.pairsAtOnce, pairs.count)]
            let results = try await withThrowingTaskGroup { tasks in
                for pair in some { tasks.addTask { try await race(pair) } }
                return try await tasks.reduce(into: []) { $0.append($1) }
            }
            for (faults, told) in results {
                report.faults += faults
                requested += told
            }
            progress(start + some.count)
        }
        return try await finish(report, requested: requested)
    }

    private static let pairsAtOnce = 10

    /// A third of the pairs begin without a request, the others with a request from the first person to the second.
    private static func pair(_ one: String, _ other: String, number: Int) -> Pair {
        var random = SplitMix64(seed: UInt64(number))
        var actions: [Action] =
            switch number % 3 {
            case 0: [.send, .send, .send, .send, .sendBack, .sendBack, .sendBack, .sendBack]
            case 1: [.accept, .accept, .accept, .reject, .reject, .reject, .sendBack, .sendBack]
            default: [.accept, .accept, .reject, .reject, .cancel, .cancel, .send, .sendBack]
            }
        actions.shuffle(using: &random)
        return Pair(one: one, other: other, actions: actions, hasRequest: number % 3 != 0)
    }

    // MARK: One pair

    /// - Returns: what is wrong afterwards, and how many requests became pending.
    private func race(_ pair: Pair) async throws -> (faults: [String], requested: Int) {
        var first: StoredFriendRequest?
        if pair.hasRequest {
            first = try await store.send(to: [Self.recipient(pair.other)], from: pair.one) { requests, _ in requests[0] }
        }
        var racers: [@Sendable () async throws -> Outcome] = []
        for action in pair.actions { racers.append(try await racer(action, pair, first)) }
        let outcomes = await withTaskGroup { tasks in
            for racer in racers {
                tasks.addTask {
                    do {
                        return try await racer()
                    } catch is Problem {
                        return .refused
                    } catch {
                        return .failed("\(error)")
                    }
                }
            }
            return await tasks.reduce(into: [Outcome]()) { $0.append($1) }
        }
        let requested = outcomes.count { if case .sent(let request) = $0 { request.status == .pending } else { false } }
        let faults = try await faults(pair, outcomes)
        return (faults.map { "\(pair.one) \(pair.actions): \($0)" }, requested + (first == nil ? 0 : 1))
    }

    private static func recipient(_ id: String) -> FriendRules.Recipient { FriendRules.Recipient(id: id, field: "recipientId") }

    /// - Returns: what a racer does once all racers start. In the way `twoTransactions`, a racer reads before that.
    private func racer(
        _ action: Action, _ pair: Pair, _ first: StoredFriendRequest?
    ) async throws -> @Sendable () async throws -> Outcome {
        let database = store.database
        switch action {
        case .send, .sendBack:
            let (sender, recipient) = action == .send ? (pair.one, pair.other) : (pair.other, pair.one)
            guard way == .twoTransactions else {
                return { .sent(try await store.send(to: [Self.recipient(recipient)], from: sender) { requests, _ in requests[0] }) }
            }
            let relations = try await database.read { tx in try store.relations(of: sender, with: [recipient], tx) }
            return {
                let sendings = try FriendRules.sendings(to: [Self.recipient(recipient)], relations)
                return .sent(try await database.write { tx in try store.send(sendings, from: sender, tx) }[0])
            }
        case .accept, .reject:
            guard let first else { return { .refused } }
            let accepting = action == .accept
            guard way == .twoTransactions else {
                return { .resolved(try await store.resolve(first.id, by: pair.other, accepting: accepting)) }
            }
            return {
                let resolution = try FriendRules.resolution(of: first, accepting: accepting)
                return .resolved(try await database.write { tx in try store.resolve(first, resolution, tx) })
            }
        case .cancel:
            guard let first else { return { .refused } }
            return {
                try await store.cancel(first.id, by: pair.one)
                return .cancelled
            }
        }
    }

    /// Compares the outcomes of the racers with the rows that are left.
    private func faults(_ pair: Pair, _ outcomes: [Outcome]) async throws -> [String] {
        let (one, other) = (pair.one, pair.other)
        let (friendships, requests) = try await store.database.read { tx in
            let friendships: [String] =
                try tx.rows(FriendStore.friendship(of: one, with: other)).map { try $0.get("id") }
                + tx.rows(FriendStore.friendship(of: other, with: one)).map { try $0.get("id") }
            let requests =
                try tx.list(FriendStore.requests(from: one, to: [other]), StoredFriendRequest.init)
                + tx.list(FriendStore.requests(from: other, to: [one]), StoredFriendRequest.init)
            return (friendships, requests)
        }
        var faults: [String] = []
        let friendship = friendships.first
        if ![0, 2].contains(friendships.count) || Set(friendships).count > 1 { faults.append("half a friendship") }
        let pending = requests.filter { $0.status == .pending }
        if pending.count > 1 { faults.append("requests that crossed and are both pending") }
        if !pending.isEmpty, friendship != nil { faults.append("friends with a pending request") }
        if requests.contains(where: { $0.status == .accepted && $0.friendship != friendship }) {
            faults.append("an accepted request without its friendship")
        }
        var (accepted, rejected): (Set<String>, Set<String>) = ([], [])
        for outcome in outcomes {
            switch outcome {
            case .sent(let request), .resolved(let request):
                if request.status == .accepted { accepted.insert(request.id) }
                if request.status == .rejected { rejected.insert(request.id) }
                if let made = request.friendship, made != friendship { faults.append("an answer with a friendship that there is not") }
            case .failed(let error): faults.append(error)
            case .cancelled, .refused: break
            }
        }
        if !accepted.isDisjoint(with: rejected) { faults.append("a request that was accepted and rejected") }
        if outcomes.count(where: { if case .cancelled = $0 { true } else { false } }) > 1 { faults.append("cancelled twice") }
        // If all actions are crossing requests, the pair must end as friends.
        if !pair.hasRequest, friendship == nil { faults.append("crossing requests without a friendship") }
        return faults
    }

    // MARK: All pairs

    private func finish(_ report: Report, requested: Int) async throws -> Report {
        var report = report
        let numbers = try await store.database.read { tx in
            try [Self.friendCount, Self.pendingCount, Self.wrongCounters, Self.missingCounters, Self.events].map { sql in
                try tx.row(sql)?.get("count", as: Int.self) ?? 0
            } + [try tx.row(Self.requestEvents)?.get("count", as: Int.self) ?? 0]
        }
        report.friends = numbers[0] / 2
        report.pending = numbers[1]
        report.wrongCounters = numbers[2] + numbers[3]
        // Both people of a pair are notified of their friendship, and the recipient of each request that became pending is notified of it.
        report.wrongEvents = abs(numbers[4] - numbers[0]) + abs(numbers[5] - requested)
        return report
    }

    private static let friendCount: SQL = "SELECT COUNT(*) AS count FROM friendship"
    private static let pendingCount: SQL = "SELECT COUNT(*) AS count FROM friend_request WHERE status = 'PENDING'"
    private static let wrongCounters: SQL = """
        SELECT COUNT(*) AS count FROM profile
        WHERE friend_count <> (SELECT COUNT(*) FROM friendship WHERE friendship.account = profile.account)
            OR request_count <> (
                SELECT COUNT(*) FROM friend_request
                WHERE friend_request.recipient = profile.account AND friend_request.status = 'PENDING')
        """
    private static let missingCounters: SQL = """
        SELECT COUNT(*) AS count FROM friendship WHERE NOT EXISTS (SELECT 1 FROM profile WHERE profile.account = friendship.account)
        """
    private static let events: SQL = "SELECT COUNT(*) AS count FROM event WHERE kind = 'friend.accepted'"
    private static let requestEvents: SQL = "SELECT COUNT(*) AS count FROM event WHERE kind = 'friend.requested'"
}
