import Core
package import Database
package import Logging
import ServiceLifecycle

/// Delivers events to this node's subscribers. It always reads them from the event log. A wake, which a write sends after its commit, only
/// means that a read is worthwhile.
///
/// In a service group, place the hub **after** the server whose requests wait for events. Services stop in reverse order, and a draining
/// server would otherwise wait for requests that wait for the hub.
package final class Hub: Service {
    package struct Settings: Sendable {
        /// The most open subscriptions per account on this node, long polls included; default 20.
        package var subscriptionsPerAccount = 20
        /// The interval between two checks of the log heads, the last event numbers of the accounts; default 2 s. The checks find events
        /// whose wake was lost.
        package var tick = Duration.seconds(2)
        /// The most accounts per query of such a check, 1...500; default 500.
        package var accountsPerLook = 500
        /// The most events that one subscription reads and holds at a time, 1...100; default 100.
        package var pageLimit = 100
        /// The most concurrent reads of subscriptions, 1...; default 8. Further reads wait. Keep it below the number of database
        /// connections, since other requests need some.
        package var readsAtOnce = 8
        /// `false` ignores gaps. Only a test sets it, to prove that its check fails when gaps are ignored.
        package var insists = true

        package init() {}
    }

    let settings: Settings
    let subscribers = Subscribers()
    private let database: any Database
    let reads: FairSemaphore
    private let logger: Logger
    private let sleep: @Sendable (Duration) async throws -> Void
    private let listening: Wakes.Listening
    /// Requests for a check of all heads. One pending request is enough.
    private let alarms: AsyncStream<Void>

    /// - Parameter sleep: waits between two checks and during a long poll; tests inject their own.
    package init(
        database: any Database, logger: Logger, settings: Settings = Settings(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.database = database
        self.logger = logger
        self.settings = settings
        // This bounds concurrent reads. Without it, thousands of subscriptions that wake or reconnect at the same time would fill the
        // database's queue. The number of subscriptions bounds how many reads wait here. Accounts take turns.
        reads = FairSemaphore(
            .init(
                permits: max(1, settings.readsAtOnce), permitsPerKey: .max, waiting: .max, waitingPerKey: .max,
                reserve: settings.readsAtOnce / 4, small: 1))
        self.sleep = sleep
        let (alarms, alarm) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.alarms = alarms
        listening = database.wakes.listen(.events) { [subscribers] accounts in
            // `nil` means that wakes of any account may be lost. One check of the heads then finds the accounts with new events, so that
            // not every subscriber has to read.
            if let accounts { subscribers.wake(accounts) } else { alarm.yield() }
        }
    }

    package var counts: HubCounts { subscribers.counts }

    /// Runs until the server stops; then all waiting subscribers get `LiveError.shuttingDown`. A failed check is logged, and the next one
    /// retries.
    package func run() async throws {
        defer { subscribers.close() }
        await cancelWhenGracefulShutdown { [self] in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { [self] in
                    while (try? await sleep(settings.tick)) != nil, !Task.isCancelled { await look() }
                }
                group.addTask { [self] in
                    for await _ in alarms { await look() }
                }
            }
        }
    }

    /// Reads the heads of all accounts with waiting subscribers, and wakes the subscribers whose log has a different head.
    private func look() async {
        do {
            let accounts = subscribers.awaited
            for start in stride(from: 0, to: accounts.count, by: settings.accountsPerLook) {
                let batch = accounts[start..<min(start + settings.accountsPerLook, accounts.count)]
                let heads = try await database.read { tx in
                    try tx.rows(EventLog.headsOf(Self.filled(batch))).reduce(into: [String: Int64]()) { heads, row in
                        heads[try row.get("account")] = try row.get("seq")
                    }
                }
                subscribers.compare(batch, heads: heads)
            }
        } catch {
            if !Task.isCancelled {
                logger.error("checking for new events failed; the server will retry it", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Pads the list with its last account to one of a few lengths, because the engine keeps one prepared statement for each length.
    private static func filled(_ accounts: ArraySlice<String>) -> [String] {
        let length = [1, 4, 16, 64, 256, 500].first { $0 >= accounts.count } ?? accounts.count
        return accounts + [String](repeating: accounts[accounts.endIndex - 1], count: length - accounts.count)
    }

    /// Opens a subscription. It ends when it is released.
    ///
    /// - Parameter since: the number that the client has seen last, at least 0; later events are delivered first. `nil` starts with events
    ///   committed from now on.
    /// - Throws: `Problem` `.tooManyRequests` when the account has `Settings.subscriptionsPerAccount` already, `.invalid` for a negative
    ///   number; `LiveError.shuttingDown`; database errors.
    package func subscribe(_ account: String, since: Int64?) async throws -> sending Subscription {
        if let since, since < 0 { throw Problem(.invalid, "since must be 0 or more.", field: "since") }
        guard let id = try subscribers.enter(account, limit: settings.subscriptionsPerAccount) else {
            throw Problem(.tooManyRequests, "Too many open event streams for this account.", retryAfter: .seconds(5))
        }
        guard let since else {
            do {
                let head = try await reading(account) { tx in try EventLog.head(account, tx) }
                return Subscription(self, id, last: head)
            } catch {
                subscribers.leave(id)
                throw error
            }
        }
        return Subscription(self, id, last: since)
    }

    /// Runs a short read when it is the account's and the network's turn. The database counts the read as one of the server's own. If it
    /// counted for the client's network, it could wait for that network's share of the connections and meanwhile hold a permit that all
    /// subscribers need.
    private func reading<T: Sendable>(
        _ account: String, _ body: @escaping @Sendable (ReadTransaction) throws -> T
    ) async throws -> T {
        let requester = Requester(account: account, network: Requester.current.network)
        return try await reads.withPermit(for: requester, holder: Requester.source?.turns) {
            try await Requester.server.run { try await database.read(body) }
        }
    }

    /// The next page for a subscriber who has seen all events up to `last`.
    func read(_ account: String, after last: Int64, limit: Int) async throws -> EventPage {
        let limit = max(1, min(limit, settings.pageLimit))
        let page = try await reading(account) { [insists = settings.insists] tx in
            try EventPage.read(account, after: last, limit: limit, insists: insists, tx)
        }
        subscribers.count { counts in
            counts.reads += 1
            switch page {
            case .events(let events): counts.events += events.count
            case .nothing: break
            case .reset: counts.resets += 1
            case .gap:
                counts.resets += 1
                counts.gaps += 1
            }
        }
        if case .gap(let head) = page {
            // A reset makes the subscriber consistent again; the operator must find the cause.
            logger.critical(
                "an event log has a gap, which is a bug; clients load their data again",
                metadata: ["account": "\(account)", "after": .stringConvertible(last), "head": .stringConvertible(head)])
        }
        return page
    }

    func pause(_ time: Duration) async throws { try await sleep(time) }
}
