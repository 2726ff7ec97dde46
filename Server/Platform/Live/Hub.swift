import Core
package import Database
package import Logging
import ServiceLifecycle

/// Feeds this node's subscribers from the event log, which is the only thing they are told from: a wake says that it is worth a look.
///
/// In a group of services the hub stands **after** the server whose requests wait for events: services are stopped last first, and
/// a server that drains would wait for those who wait here.
package final class Hub: Service {
    package struct Settings: Sendable {
        /// Open at once for one account on this node, long polls included; default 20.
        package var subscriptionsPerAccount = 20
        /// Between two looks at the heads, for what no wake told of; default 2 s.
        package var tick = Duration.seconds(2)
        /// Accounts in one such look, 1...500; default 500.
        package var accountsPerLook = 500
        /// Events one subscription reads, and holds, at a time, 1...100; default 100.
        package var pageLimit = 100
        /// Subscriptions that read at a time, the others in line, 1...; default 8: fewer than the connections of a database, of which
        /// others need some.
        package var readsAtOnce = 8
        /// Only for the test that must fail without it: holes are taken as they come.
        package var insists = true

        package init() {}
    }

    let settings: Settings
    let subscribers = Subscribers()
    private let database: any Database
    private let reads: FairSemaphore
    private let logger: Logger
    private let sleep: @Sendable (Duration) async throws -> Void
    private let listening: Wakes.Listening
    /// One element is as good as many.
    private let alarms: AsyncStream<Void>

    /// - Parameter sleep: lets time pass between two looks and while a long poll waits; tests take their own.
    package init(
        database: any Database, logger: Logger, settings: Settings = Settings(),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        self.database = database
        self.logger = logger
        self.settings = settings
        // When thousands are woken or come back at once, the others wait here: they would fill the queue in front of the database. Their
        // number is bounded by that of the subscriptions.
        reads = FairSemaphore(
            .init(permits: max(1, settings.readsAtOnce), permitsPerKey: .max, waiting: .max, waitingPerKey: .max))
        self.sleep = sleep
        let (alarms, alarm) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.alarms = alarms
        listening = database.wakes.listen(.events) { [subscribers] accounts in
            // Any may have been missed: one look at the heads finds out whose, instead of a read for every subscriber.
            if let accounts { subscribers.wake(accounts) } else { alarm.yield() }
        }
    }

    package var counts: HubCounts { subscribers.counts }

    /// Until the server stops; then everyone who waits here hears `LiveError.shuttingDown`. A look that fails is logged, and the
    /// next one tries again.
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

    /// Asks for the heads of all accounts somebody waits for, and wakes those who are not at their log's end.
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
            if !Task.isCancelled { logger.error("looking for new events failed", metadata: ["error": "\(error)"]) }
        }
    }

    /// Filled up with the last one to a few lengths: each length is a statement that an engine keeps prepared.
    private static func filled(_ accounts: ArraySlice<String>) -> [String] {
        let length = [1, 4, 16, 64, 256, 500].first { $0 >= accounts.count } ?? accounts.count
        return accounts + [String](repeating: accounts[accounts.endIndex - 1], count: length - accounts.count)
    }

    /// Opens a subscription, which is over when it is let go.
    ///
    /// - Parameter since: the number seen last, at least 0; what came after it is delivered first. `nil` starts with what is
    ///   committed from now on.
    /// - Throws: `Problem` `.tooManyRequests` when the account has its 20 already, `.invalid` for a negative number;
    ///   `LiveError.shuttingDown`; what the database throws.
    package func subscribe(_ account: String, since: Int64?) async throws -> sending Subscription {
        if let since, since < 0 { throw Problem(.invalid, "since must be 0 or more.", field: "since") }
        guard let id = try subscribers.enter(account, limit: settings.subscriptionsPerAccount) else {
            throw Problem(.tooManyRequests, "Too many open event streams for this account.", retryAfter: .seconds(5))
        }
        guard let since else {
            do {
                let head = try await reads.withPermit(for: .server) { try await database.read { tx in try EventLog.head(account, tx) } }
                return Subscription(self, id, last: head)
            } catch {
                subscribers.leave(id)
                throw error
            }
        }
        return Subscription(self, id, last: since)
    }

    /// What a subscriber who has seen everything up to `last` is to be told next.
    func read(_ account: String, after last: Int64, limit: Int) async throws -> EventPage {
        let limit = max(1, min(limit, settings.pageLimit))
        let page = try await reads.withPermit(for: .server) {
            try await database.read { [insists = settings.insists] tx in
                try EventPage.read(account, after: last, limit: limit, insists: insists, tx)
            }
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
            // The subscriber starts afresh and is right again; somebody must find out how this came to be.
            logger.critical("an event log has a hole", metadata: ["account": "\(account)", "after": "\(last)", "head": "\(head)"])
        }
        return page
    }

    func pause(_ time: Duration) async throws { try await sleep(time) }
}
