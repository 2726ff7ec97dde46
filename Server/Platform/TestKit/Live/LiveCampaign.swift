internal import Core
internal import Database
internal import Live
internal import Synchronization

/// Promise 10: a reconnect misses nothing. Emitters write, in this process and in one that is killed, while subscribers come and go on
/// two nodes; `LiveModel` says what of it was wrong.
package struct LiveCampaign: Sendable {
    package struct Scale: Sendable {
        package var accounts = 6
        package var emitters = 64
        package var writesPerEmitter = 120
        package var subscribers = 24
        package var kills = 5
        /// A subscriber leaves after at most this.
        package var session = Duration.milliseconds(300)
        /// Of the hubs.
        package var tick = Duration.milliseconds(500)
        /// When all is written, subscribers get this long to see it.
        package var patience = Duration.seconds(120)
        package var numbering = PlannedWrite.Numbering.last
        /// False leaves out the hub's insisting on the next number.
        package var insists = true

        package init() {}
    }

    package struct Outcome: Sendable, CustomStringConvertible {
        package var scale: Scale
        /// What was wrong, the first twenty; empty when the promise was kept.
        package var wrongs: [String] = []
        package var wrongCount = 0
        package var events = 0
        package var deliveries = 0
        package var drops = 0
        /// Writes that emitters were told are in the log, those of killed processes included.
        package var acknowledged = 0
        /// Of them, those of processes that were killed.
        package var acknowledgedByKilled = 0
        package var kills = 0
        package var emitting = Duration.zero
        package var whole = Duration.zero
        /// From asking for the write to having its event, for subscribers that were there: on the emitter's node, and on another.
        package var here = Latencies()
        package var elsewhere = Latencies()
        package var found = 0
        package var gaps = 0

        package var description: String {
            """
            live campaign: \(events) events of \(acknowledged) writes (\(acknowledgedByKilled) by processes killed \(kills) times), \
            \(Int(Double(events) / (emitting / .seconds(1)))) events/s; \(scale.subscribers) subscribers, \(drops) drops, \
            \(deliveries) deliveries, \(Int(Double(deliveries) / (whole / .seconds(1))))/s; \
            same node \(here); other node \(elsewhere); \(found) found by a look; \
            \(wrongCount) wrong, \(gaps) gaps; \((whole / .seconds(1) * 10).rounded() / 10) s
            """
        }
    }

    /// Starts a process that emits as emitter `first` and following, waits until it has been told of a write, lets it go on for a
    /// moment, kills it, and answers what it was told.
    package typealias Child = @Sendable (_ first: Int, _ scale: Scale) async throws -> [(PlannedWrite.ID, Bool)]

    let scale: Scale
    private let child: Child?

    package init(_ scale: Scale, child: Child? = nil) {
        self.scale = scale
        self.child = child
    }

    package func run(_ store: String, _ open: @escaping DatabaseSuite.Opener) async throws -> Outcome {
        var settings = Hub.Settings()
        settings.tick = scale.tick
        settings.insists = scale.insists
        settings.subscriptionsPerAccount = scale.subscribers
        return try await LiveNodes.run(store, count: 2, settings: settings, open) { nodes in try await run(nodes) }
    }

    private func run(_ nodes: LiveNodes) async throws -> Outcome {
        let ledger = LiveCampaignLedger(scale)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
            for reader in 0..<scale.subscribers { group.addTask { try await subscribe(reader, nodes, ledger) } }
            // These end before the others can.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for emitter in 0..<scale.emitters { group.addTask { try await emit(emitter, nodes, ledger) } }
                group.addTask { try await kill(ledger) }
                try await group.waitForAll()
            }
            ledger.end(emitting: ContinuousClock.now - start, heads: try await heads(nodes))
            try await group.waitForAll()
        }
        return ledger.outcome(whole: ContinuousClock.now - start, nodes.hubs.map(\.counts))
    }

    private func heads(_ nodes: LiveNodes) async throws -> [String: Int64] {
        var heads: [String: Int64] = [:]
        for number in 0..<scale.accounts {
            let account = PlannedWrite.account(number)
            heads[account] = try await nodes.head(account)
        }
        return heads
    }

    // MARK: Emitters

    private func emit(_ emitter: Int, _ nodes: LiveNodes, _ ledger: LiveCampaignLedger) async throws {
        let database = nodes.databases[emitter % nodes.databases.count]
        for number in 0..<scale.writesPerEmitter {
            let write = PlannedWrite(emitter: emitter, number: number, accounts: scale.accounts)
            ledger.told(write.id, try await write.run(database, scale.numbering))
            // Room for other processes: SQLite's writers do not queue, they try again.
            if .random(in: 0..<4) == 0 { try await Task.sleep(for: .milliseconds(.random(in: 0...40))) }
        }
    }

    /// Emitters of killed processes have numbers from here on, eight a life.
    private static let firstKilled = 10_000

    private func kill(_ ledger: LiveCampaignLedger) async throws {
        guard let child else { return }
        for life in 0..<scale.kills {
            let told = try await child(Self.firstKilled + life * 8, scale)
            ledger.killed(told)
        }
    }

    // MARK: Subscribers

    private func subscribe(_ reader: Int, _ nodes: LiveNodes, _ ledger: LiveCampaignLedger) async throws {
        let account = PlannedWrite.account(reader % scale.accounts)
        ledger.starts(reader, account, at: 0)
        while !ledger.isDone(reader, account) {
            let node = Int.random(in: nodes.hubs.indices)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await session(reader, account, node, nodes.hubs[node], ledger) }
                let time = scale.session * Double.random(in: 0...1)
                group.addTask { try await Task.sleep(for: time) }
                try await group.next()
                // The connection breaks, wherever the reader is.
                group.cancelAll()
                while let result = await group.nextResult() {
                    if case .failure(let error) = result, !(error is CancellationError) { throw error }
                }
            }
            ledger.dropped()
        }
    }

    private func session(_ reader: Int, _ account: String, _ node: Int, _ hub: Hub, _ ledger: LiveCampaignLedger) async throws {
        let opened = MachineTime.now
        // Some leave by themselves, in the middle of a page; some are slow.
        let limit = Bool.random() ? Int.random(in: 1...300) : Int.max
        let isSlow = reader % 8 == 7
        let subscription = try await hub.subscribe(account, since: ledger.last(reader))
        var count = 0
        while count < limit, !ledger.isDone(reader, account) {
            switch try await subscription.next() {
            case .event(let event): ledger.saw(reader, event, node: node, opened: opened)
            case .reset(let head): ledger.wasReset(reader, to: head)
            }
            count += 1
            if isSlow, count % 20 == 0 { try await Task.sleep(for: .milliseconds(2)) }
        }
    }
}
