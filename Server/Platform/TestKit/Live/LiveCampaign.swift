internal import Core
internal import Database
internal import Live
internal import Synchronization

/// Tests that a subscriber that reconnects misses no event. Emitters write, in this process and in processes that are killed, while
/// subscribers connect and disconnect on two nodes. `LiveModel` reports the faults.
package struct LiveCampaign: Sendable {
    package struct Scale: Sendable {
        package var accounts = 6
        package var emitters = 64
        package var writesPerEmitter = 120
        package var subscribers = 24
        package var kills = 5
        /// A subscriber disconnects after at most this time.
        package var session = Duration.milliseconds(300)
        /// The hubs' polling interval.
        package var tick = Duration.milliseconds(500)
        /// How long subscribers may take to catch up after the last write.
        package var patience = Duration.seconds(120)
        package var numbering = PlannedWrite.Numbering.last
        /// False turns off the hub's check for consecutive numbers, as a control.
        package var insists = true

        package init() {}
    }

    package struct Outcome: Sendable, CustomStringConvertible {
        package var scale: Scale
        /// The first twenty faults; empty when the log kept its promise.
        package var wrongs: [String] = []
        package var wrongCount = 0
        package var events = 0
        package var deliveries = 0
        package var drops = 0
        /// Writes whose emitter was told that they committed, including emitters in killed processes.
        package var acknowledged = 0
        /// The part of `acknowledged` whose emitters were in killed processes.
        package var acknowledgedByKilled = 0
        package var kills = 0
        package var emitting = Duration.zero
        package var whole = Duration.zero
        /// Time from the start of a write to the receipt of its event, for connected subscribers: on the emitter's node, and on another.
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

    /// Starts a process whose emitters have the numbers from `first` on. Waits until a write was acknowledged, and then a moment longer;
    /// kills the process; and returns what its emitters were told.
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
            // The emitters and the killed processes end before the subscribers.
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
            // Pauses so that other processes can write, because writers to SQLite do not queue but retry.
            if .random(in: 0..<4) == 0 { try await Task.sleep(for: .milliseconds(.random(in: 0...40))) }
        }
    }

    /// The first emitter number of killed processes; each process uses eight.
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
                // Breaks the connection at any point of the reader's work.
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
        // Some subscribers disconnect by themselves, in the middle of a page; some read slowly.
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
